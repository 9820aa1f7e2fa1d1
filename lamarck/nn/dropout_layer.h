#pragma once

#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// Inverted dropout. In training mode, each run sets a fresh random choice of
// elements to 0, each with `probability`, and divides the others by 1 -
// probability, which preserves the expected value. In evaluation mode, it
// returns its input unchanged.
class Dropout : public Module {
 public:
  // The graph's seed and `name` determine which elements are dropped.
  Dropout(const Graph& graph, float probability, const std::string& name);

  Var operator()(const Var& x) const {
    return x.dropout(probability_, training_, seed_);
  }
  std::vector<Var> own_modes() const override { return {training_}; }

 private:
  float probability_;
  Var training_;  // The input "<name>.training": 1 or 0.
  std::uint64_t seed_;
};

}  // namespace lamarck::nn
