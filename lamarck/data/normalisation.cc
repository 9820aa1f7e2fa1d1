#include "lamarck/data/normalisation.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

// Per column. Sums are in double, because float sums over millions of rows lose
// precision.
struct Statistics {
  std::vector<float> low;
  std::vector<float> high;
  std::vector<double> mean;
  std::vector<double> variance;
};

// Calls visit(column, value) for each number.
template <class Visit>
void for_each_value(std::span<const float> values, std::size_t width,
                    Visit visit) {
  for (std::size_t row = 0; row < values.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) visit(i, values[row + i]);
  }
}

Statistics compute_statistics(std::span<const float> values,
                              std::size_t width) {
  const auto first = values.first(width);
  Statistics all{.low{first.begin(), first.end()},
                 .high{first.begin(), first.end()},
                 .mean = std::vector<double>(width),
                 .variance = std::vector<double>(width)};
  const std::size_t rows = values.size() / width;
  const double count = static_cast<double>(rows);
  for_each_value(values, width, [&](std::size_t i, float value) {
    REQUIRE(
        std::isfinite(value),
        "Normalization::fit: all numbers must be finite, got {} in column {}.",
        value, i);
    all.low[i] = std::min(all.low[i], value);
    all.high[i] = std::max(all.high[i], value);
    all.mean[i] += value / count;
  });
  for_each_value(values, width, [&](std::size_t i, float value) {
    const double difference = value - all.mean[i];
    all.variance[i] += difference * difference / count;
  });
  return all;
}

Result<std::vector<float>> read_floats(const Json& json,
                                       std::string_view name) {
  ASSIGN_OR_RETURN(const Json list, json_field<Json>(json, name));
  std::vector<float> values;
  for (const Json& each : list) {
    // Iterating over an object would visit its values.
    if (!list.is_array() || !each.is_number()) break;
    values.push_back(each.get<float>());
  }
  const bool is_finite = std::ranges::all_of(
      values, [](float value) { return std::isfinite(value); });
  if (!list.is_array() || values.size() != list.size() || !is_finite) {
    return Error(ErrorCode::DataDamaged,
                 "Damaged normalization: field '" + std::string(name) +
                     "' must be an array of finite numbers.",
                 {{"field", std::string(name)}});
  }
  return values;
}

}  // namespace

Normalization::Normalization(std::vector<float> shift, std::vector<float> scale)
    : shift_(std::move(shift)), scale_(std::move(scale)) {}

Normalization Normalization::fit(const Tensor& rows, NormalizationKind kind) {
  const std::size_t width = row_size(rows, "Normalization::fit");
  REQUIRE(
      rows.element_count() > 0,
      "Normalization::fit: there must be at least one number, got shape {}.",
      rows.shape().to_string());
  const Tensor dense = rows.contiguous();
  const Statistics all = compute_statistics(dense.data(), width);
  std::vector<float> shift(width);
  std::vector<float> scale(width, 1.0f);
  for (std::size_t i = 0; i < width; ++i) {
    // A constant column is shifted by its exact value, so that it becomes 0.
    const bool is_constant = all.low[i] == all.high[i];
    const bool uses_low = is_constant || kind == NormalizationKind::MinMax;
    shift[i] = uses_low ? all.low[i] : static_cast<float>(all.mean[i]);
    const double spread = uses_low ? double{all.high[i]} - all.low[i]
                                   : std::sqrt(all.variance[i]);
    // A spread that overflows or underflows a float leaves the scale at 1.
    const auto float_spread = static_cast<float>(spread);
    if (float_spread > 0 && std::isfinite(float_spread))
      scale[i] = float_spread;
  }
  return {std::move(shift), std::move(scale)};
}

template <class Change>
Tensor Normalization::changed(const Tensor& rows, std::string_view operation,
                              Change change) const {
  if (row_size(rows, operation) != column_count()) {
    throw_invalid_shape(operation, rows.shape(),
                        "the normalization was fitted to rows of " +
                            std::to_string(column_count()) + " numbers");
  }
  // clone() is contiguous, whatever the layout of `rows`.
  Tensor result = rows.clone();
  float* value = result.begin_of_data();
  for (std::int64_t row = 0; row < rows.shape()[0]; ++row) {
    for (std::size_t i = 0; i < column_count(); ++i, ++value) {
      *value = change(*value, i);
    }
  }
  return result;
}

Tensor Normalization::apply(const Tensor& rows) const {
  return changed(rows, "Normalization::apply", [&](float x, std::size_t i) {
    return (x - shift_[i]) / scale_[i];
  });
}

Tensor Normalization::invert(const Tensor& rows) const {
  return changed(rows, "Normalization::invert", [&](float y, std::size_t i) {
    return y * scale_[i] + shift_[i];
  });
}

Json Normalization::to_json() const {
  return {{"shift", shift_}, {"scale", scale_}};
}

Result<Normalization> Normalization::from_json(const Json& json) {
  ASSIGN_OR_RETURN(std::vector<float> shift, read_floats(json, "shift"));
  ASSIGN_OR_RETURN(std::vector<float> scale, read_floats(json, "scale"));
  const bool is_positive =
      std::ranges::all_of(scale, [](float value) { return value > 0; });
  if (shift.size() != scale.size() || !is_positive) {
    return Error(ErrorCode::DataDamaged,
                 "Damaged normalization: 'scale' must have as many numbers as "
                 "'shift', all above 0.");
  }
  return Normalization(std::move(shift), std::move(scale));
}

}  // namespace lamarck::data
