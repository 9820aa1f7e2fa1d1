#pragma once

#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// A trainable table with one row of `width` numbers for each of `count`
// indices. Maps integers of shape [..] to rows of shape [.., width]. An index
// outside [0, count) throws LogicError when the graph runs.
class Embedding : public Module {
 public:
  // The table is the parameter "<name>.weight".
  Embedding(const Graph& graph, std::int64_t count, std::int64_t width,
            const std::string& name, const Init& init = Init::normal(0, 1))
      : weight_(graph.parameter({count, width}, init, name + ".weight")) {}

  Var operator()(const Var& indices) const {
    return weight_.embedding(indices);
  }
  std::vector<Var> own_parameters() const override { return {weight_}; }

 private:
  Var weight_;
};

}  // namespace lamarck::nn
