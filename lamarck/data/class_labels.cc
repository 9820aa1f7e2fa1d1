#include "lamarck/data/class_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

// Floats represent every integer up to 2^24 exactly.
constexpr float kFloatClassLimit = 16'777'216;

[[noreturn]] void throw_invalid_class(std::string_view operation,
                                      std::size_t row, float value) {
  throw LogicError(
      Error(ErrorCode::InvalidArgument,
            fmt::format("{}: row {} contains {}, which is not a class; use "
                        "integers from 0, or one column per class.",
                        operation, row, value),
            {{"row", std::to_string(row)}}));
}

// Rejects NaN, which max_element would order arbitrarily.
std::size_t argmax(std::string_view operation, std::size_t row,
                   std::span<const float> values) {
  for (const float value : values) {
    if (std::isnan(value)) throw_invalid_class(operation, row, value);
  }
  return static_cast<std::size_t>(std::ranges::max_element(values) -
                                  values.begin());
}

std::size_t to_class(std::string_view operation, std::size_t row, float value) {
  if (!(value >= 0 && value < kFloatClassLimit) || value != std::trunc(value)) {
    throw_invalid_class(operation, row, value);
  }
  return static_cast<std::size_t>(value);
}

// The class of each row: the argmax of several columns, or what `from_number`
// makes of a single one.
template <class FromNumber>
std::vector<std::size_t> find_classes(std::string_view operation,
                                      const Tensor& tensor,
                                      FromNumber from_number) {
  const std::size_t count = row_count(tensor, operation);
  const std::size_t width = row_size(tensor, operation);
  if (width == 0 || tensor.rank() > 2) {
    throw_invalid_shape(
        operation, tensor.shape(),
        "classes must have the shape [n], [n, 1] or [n, classes]");
  }
  const Tensor dense = tensor.contiguous();
  const std::span<const float> values = dense.data();
  std::vector<std::size_t> classes(count);
  for (std::size_t row = 0; row < count; ++row) {
    const auto own = values.subspan(row * width, width);
    classes[row] =
        width == 1 ? from_number(row, own[0]) : argmax(operation, row, own);
  }
  return classes;
}

}  // namespace

Tensor one_hot(std::span<const std::size_t> labels, std::size_t class_count) {
  Tensor rows = Tensor::zeros({static_cast<std::int64_t>(labels.size()),
                               static_cast<std::int64_t>(class_count)});
  const std::span<float> values = rows.data();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] >= class_count) {
      throw LogicError(Error(ErrorCode::InvalidArgument,
                             fmt::format("one_hot: labels must be below "
                                         "class_count ({}), got {} in row {}.",
                                         class_count, labels[row], row)));
    }
    values[row * class_count + labels[row]] = 1;
  }
  return rows;
}

Tensor one_hot(const Tensor& labels, std::size_t class_count) {
  if (row_size(labels, "one_hot") != 1) {
    throw_invalid_shape("one_hot", labels.shape(),
                        "labels must have the shape [n] or [n, 1]");
  }
  return one_hot(class_indices(labels), class_count);
}

std::vector<std::size_t> class_indices(const Tensor& targets) {
  return find_classes("class_indices", targets,
                      [](std::size_t row, float value) {
                        return to_class("class_indices", row, value);
                      });
}

std::vector<std::size_t> predicted_classes(const Tensor& predictions) {
  return find_classes(
      "predicted_classes", predictions, [](std::size_t row, float value) {
        return to_class("predicted_classes", row, std::round(value));
      });
}

}  // namespace lamarck::data
