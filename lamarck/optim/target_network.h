// Target networks for reinforcement learning: a second network that slowly
// follows the trained one (Lillicrap et al. 2016).

#pragma once

#include <span>

#include "lamarck/graph/var.h"

namespace lamarck::optim {

// Computes target += tau (source - target) for each pair of parameters, in
// order. The networks may belong to one graph or to two; gradients and
// optimizers are not touched. Throws LogicError, and changes nothing, unless
// the lists have the same length and shapes and tau is in [0, 1].
void soft_update(std::span<const Var> target_parameters,
                 std::span<const Var> source_parameters, float tau);

// Copies all values, in order; throws under the same conditions.
void copy_parameters(std::span<const Var> from, std::span<const Var> to);

}  // namespace lamarck::optim
