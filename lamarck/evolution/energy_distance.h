// How similar two samples of points are, without a model of either.

#pragma once

#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// The normalized energy distance (Szekely and Rizzo 2013):
//
//   1 - (E|a - a'| + E|b - b'|) / (2 E|a - b|)
//
// It ranges from 0 for samples of one distribution to 1 for two distinct
// points. Pairs of a point with itself are excluded, so small samples are
// unbiased; values below 0, which happen by chance, become 0. REQUIRES: both
// are [points, numbers] with at least two points and the same number of
// columns.
double energy_distance(const Tensor& a, const Tensor& b);

// 1 - sqrt(energy_distance): 1 for samples that cannot be distinguished.
double similarity(const Tensor& a, const Tensor& b);

}  // namespace lamarck::evolution
