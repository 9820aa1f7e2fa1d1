// Keeping one network near another, as learning from own predictions needs it.

#pragma once

#include <span>

#include "lamarck/graph/var.h"

namespace lamarck::optim {

// target += tau (source - target), parameter by parameter in order. The
// networks may be of one graph or two; gradients and optimizers stay as they
// are. Throws LogicError, and changes nothing, unless there are as many of the
// same shapes and 0 <= tau <= 1.
void soft_update(std::span<const Var> target_parameters,
                 std::span<const Var> source_parameters, float tau);

// The values of all, in order; the same conditions.
void copy_parameters(std::span<const Var> from, std::span<const Var> to);

}  // namespace lamarck::optim
