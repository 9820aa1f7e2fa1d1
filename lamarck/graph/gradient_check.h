// Compares gradients with what small changes of the parameters really do.

#pragma once

#include <span>
#include <string>

#include "lamarck/graph/var.h"

namespace lamarck {

struct GradientCheck {
  double largest_error = 0;  // |ours - measured| / (1 + |measured|)
  std::string where;         // "parameter 1, element 5: 0.25 against 0.31".
};

// The gradient of `loss` with respect to every element of the leaves, against
// central differences. Changes their values and gradients, and puts the values
// back.
GradientCheck check_gradients(const Var& loss, std::span<const Var> leaves,
                              float step = 5e-3f);

}  // namespace lamarck
