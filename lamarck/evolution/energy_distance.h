// How alike two clouds of points are, without a model of either.

#pragma once

#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// The energy distance (Szekely and Rizzo 2013) as a share of what it can be:
//
//   1 - (E|a - a'| + E|b - b'|) / (2 E|a - b|)
//
// from 0 for clouds of one distribution to 1 for two different points. Pairs of
// a point with itself do not count, so small samples are not unfair; what comes
// out below 0 by chance is 0. REQUIRES: [points, numbers], two points or more
// each, as many numbers.
double energy_distance(const Tensor& a, const Tensor& b);

// 1 - sqrt(energy_distance): 1 for clouds that cannot be told apart.
double likeness(const Tensor& a, const Tensor& b);

}  // namespace lamarck::evolution
