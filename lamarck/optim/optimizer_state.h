// What an optimizer remembers, as a value that can be stored.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::optim {

struct OptimizerState {
  std::string kind;  // "adam" and so on.
  std::int64_t steps = 0;
  float rate = 0;
  // Under "<parameter>.<memory>", such as "fc1.weight.mean".
  std::map<std::string, Tensor> tensors;
};

// Whether the state is of this kind and has exactly the wanted tensors.
Result<void> check_optimizer_state(const OptimizerState& state,
                                   const std::string& kind,
                                   const std::map<std::string, Shape>& wanted);

}  // namespace lamarck::optim
