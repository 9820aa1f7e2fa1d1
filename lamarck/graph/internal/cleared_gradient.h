// Prepares the gradient of an input for a function that only adds to it.

#pragma once

#include <algorithm>

#include "lamarck/graph/operation.h"

namespace lamarck {

// Returns where to add the gradient of the given input, or null if nothing
// needs it or the call has no such input. Sets it to zero first, unless the
// call accumulates into an earlier gradient.
inline float* cleared_gradient(const GradientCall& call, std::size_t input) {
  if (input >= call.inputs.size()) return nullptr;
  float* gradient = call.input_gradients[input];
  if (gradient != nullptr && !call.accumulate[input]) {
    std::fill_n(gradient, call.inputs[input].shape->element_count(), 0.0f);
  }
  return gradient;
}

}  // namespace lamarck
