// A gradient's place, ready to be added to.

#pragma once

#include <algorithm>

#include "lamarck/graph/operation.h"

namespace lamarck {

// Null where nobody needs it or there is no such input; else cleared, unless
// the call adds to what is there.
inline float* cleared_gradient(const GradientCall& call, std::size_t input) {
  if (input >= call.inputs.size()) return nullptr;
  float* gradient = call.input_gradients[input];
  if (gradient != nullptr && !call.accumulate[input]) {
    std::fill_n(gradient, call.inputs[input].shape->element_count(), 0.0f);
  }
  return gradient;
}

}  // namespace lamarck
