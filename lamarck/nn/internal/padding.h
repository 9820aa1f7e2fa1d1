// Removes the padding of ragged batches from sequences.

#pragma once

#include "lamarck/graph/var.h"

namespace lamarck::nn {

// x [a, b, features] with 0 wherever `kept` [a, b] is 0, even for NaN, which
// would otherwise reach the gradients of weights as 0 * NaN. Padding gets no
// gradient.
Var without_padding(const Var& x, const Var& kept);

// The same, but finite padding stays as it is.
Var with_finite_padding(const Var& x, const Var& kept);

}  // namespace lamarck::nn
