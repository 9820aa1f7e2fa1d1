#pragma once

#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// A learnt row for each of `count` indices: [..] whole numbers become
// [.., width].
class Embedding : public Module {
 public:
  Embedding(const Graph& graph, std::int64_t count, std::int64_t width,
            const std::string& name, const Init& init = Init::normal(0, 1))
      : weight_(graph.parameter({count, width}, init, name + ".weight")) {}

  Var operator()(const Var& indices) const {
    return weight_.embedding(indices);
  }
  std::vector<Var> parameters() const override { return {weight_}; }

 private:
  Var weight_;
};

}  // namespace lamarck::nn
