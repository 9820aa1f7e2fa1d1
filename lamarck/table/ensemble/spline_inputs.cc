#include "lamarck/table/ensemble/spline_inputs.h"

#include <algorithm>

namespace lamarck::table {
namespace {

// Closer knots would make the slopes of the features too steep to train.
constexpr float kMinKnotGap = 0.01f;

constexpr std::int64_t kMaxKnotRows = 20'000;  // Enough for quantiles.

// The knots at evenly spaced ranks of the sorted values.
std::vector<float> choose_knots(const std::vector<float>& sorted,
                                std::size_t max_bins) {
  std::vector<float> knots;
  for (std::size_t i = 0; i <= max_bins; ++i) {
    const float value = sorted[i * (sorted.size() - 1) / max_bins];
    if (knots.empty() || value - knots.back() >= kMinKnotGap) {
      knots.push_back(value);
    }
  }
  return knots;
}

std::vector<float> sorted_column(const Tensor& inputs, std::int64_t column) {
  const std::int64_t step = 1 + (inputs.size(0) - 1) / kMaxKnotRows;
  std::vector<float> values;
  for (std::int64_t row = 0; row < inputs.size(0); row += step) {
    values.push_back(inputs.at({row, column}));
  }
  std::ranges::sort(values);
  return values;
}

}  // namespace

std::vector<SplineInput> fit_splines(const Tensor& inputs,
                                     std::size_t max_bins) {
  std::vector<SplineInput> splines;
  for (std::int64_t column = 0; column < inputs.size(1); ++column) {
    std::vector<float> values = sorted_column(inputs, column);
    std::vector<float> distinct = values;
    // clang 14 does not support the result of std::ranges::unique.
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
    if (distinct.size() < 3) continue;
    // With few distinct values, each of them is a knot.
    const bool has_few = distinct.size() <= max_bins + 1;
    std::vector<float> knots = has_few
                                   ? choose_knots(distinct, distinct.size() - 1)
                                   : choose_knots(values, max_bins);
    if (knots.size() < 3) continue;
    splines.push_back({static_cast<std::size_t>(column), std::move(knots)});
  }
  return splines;
}

std::size_t feature_count(const std::vector<SplineInput>& splines) {
  std::size_t count = 0;
  for (const SplineInput& spline : splines) count += spline.bins();
  return count;
}

Tensor with_features(const Tensor& inputs, std::span<const std::size_t> kept,
                     const std::vector<SplineInput>& splines) {
  const std::int64_t rows = inputs.size(0);
  const auto width = static_cast<std::size_t>(inputs.size(1));
  const Tensor flat = inputs.contiguous();
  Tensor result = Tensor::uninitialized(
      {rows, static_cast<std::int64_t>(kept.size() + feature_count(splines))});
  const float* from = flat.begin_of_data();
  float* to = result.begin_of_data();
  for (std::int64_t row = 0; row < rows; ++row, from += width) {
    for (const std::size_t column : kept) *to++ = from[column];
    for (const SplineInput& spline : splines) {
      const float value = from[spline.input];
      for (std::size_t i = 0; i < spline.bins(); ++i) {
        const float low = spline.knots[i];
        const float share = (value - low) / (spline.knots[i + 1] - low);
        *to++ = std::clamp(share, 0.0f, 1.0f);
      }
    }
  }
  return result;
}

}  // namespace lamarck::table
