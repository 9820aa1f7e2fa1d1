// The state of an optimizer as a value that can be stored.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::optim {

struct OptimizerState {
  std::string kind;        // "adam" and so on.
  std::int64_t steps = 0;  // Steps taken so far.
  float rate = 0;
  // Keyed by "<parameter>.<memory>", such as "fc1.weight.mean".
  std::map<std::string, Tensor> tensors;
};

// Fails unless the state is of this kind, has a valid rate and step count, and
// has exactly the wanted tensors with their shapes.
Result<void> check_optimizer_state(const OptimizerState& state,
                                   const std::string& kind,
                                   const std::map<std::string, Shape>& wanted);

}  // namespace lamarck::optim
