// Compares gradients with the effect of small changes of the inputs.

#pragma once

#include <span>
#include <string>

#include "lamarck/graph/var.h"

namespace lamarck {

struct GradientCheck {
  double largest_error = 0;  // |ours - measured| / (1 + |measured|)
  std::string where;  // "leaf 1, element 5: gradient 0.25, measured 0.31"
};

// Compares the gradient of `loss` with respect to every element of the leaves
// with central differences of width `step`. Restores the values of the leaves,
// but not their gradients. Costs two forward passes per element.
GradientCheck check_gradients(const Var& loss, std::span<const Var> leaves,
                              float step = 5e-3f);

}  // namespace lamarck
