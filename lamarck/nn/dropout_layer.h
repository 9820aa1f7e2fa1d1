#pragma once

#include <string>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// In training, elements become 0 with `probability`, others in each run; those
// kept grow, so that the mean stays. In evaluation it does nothing.
class Dropout : public Module {
 public:
  // The graph's seed and the name decide what is dropped.
  Dropout(const Graph& graph, float probability, const std::string& name);

  Var operator()(const Var& x) const {
    return x.dropout(probability_, training_, seed_);
  }
  std::vector<Var> modes() const override { return {training_}; }

 private:
  float probability_;
  Var training_;  // "<name>.training"
  std::uint64_t seed_;
};

}  // namespace lamarck::nn
