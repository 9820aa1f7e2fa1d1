// Piecewise-linear encodings of numeric inputs.
//
// A number becomes one feature per interval between its knots: 0 before the
// interval, 1 after it, and linear inside it. A network can then learn any
// piecewise-linear function of the number, such as a threshold, with one layer.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/data/dataset.h"

namespace lamarck::table {

// The numbers of intervals that a design may choose from, and the usual one.
// More of them show a jump more sharply, and need more rows.
inline constexpr std::array<std::size_t, 4> kSplineBins = {6, 12, 24, 48};
inline constexpr std::size_t kUsualSplineBins = 12;

// The knots of one input, ascending; at least three.
struct SplineInput {
  std::size_t input = 0;  // Its column in the encoded rows.
  std::vector<float> knots;

  std::size_t bins() const { return knots.size() - 1; }
};

// Places knots at quantiles of each input with more than two distinct values.
std::vector<SplineInput> fit_splines(const Tensor& inputs,
                                     std::size_t max_bins = kUsualSplineBins);

// The number of features of all splines.
std::size_t feature_count(const std::vector<SplineInput>& splines);

// Returns the `kept` columns of the rows of `inputs`, followed in each row by
// the features of the splines, in order.
Tensor with_features(const Tensor& inputs, std::span<const std::size_t> kept,
                     const std::vector<SplineInput>& splines);

}  // namespace lamarck::table
