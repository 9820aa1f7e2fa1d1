#include "lamarck/data/class_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

constexpr float kMostFloatClasses = 16'777'216;  // All whole floats up to 2^24.

[[noreturn]] void throw_no_class(std::string_view operation, std::size_t row,
                                 float value) {
  throw LogicError(
      Error(ErrorCode::InvalidArgument,
            fmt::format("{}: row {} holds {}, which is no class; classes are "
                        "whole numbers from 0 on, or rows of numbers.",
                        operation, row, value),
            {{"row", std::to_string(row)}}));
}

std::size_t largest_place(std::string_view operation, std::size_t row,
                          std::span<const float> values) {
  for (const float value : values) {
    if (std::isnan(value)) throw_no_class(operation, row, value);
  }
  return static_cast<std::size_t>(std::ranges::max_element(values) -
                                  values.begin());
}

std::size_t whole_number(std::string_view operation, std::size_t row,
                         float value) {
  if (!(value >= 0 && value < kMostFloatClasses) ||
      value != std::trunc(value)) {
    throw_no_class(operation, row, value);
  }
  return static_cast<std::size_t>(value);
}

template <class FromNumber>
std::vector<std::size_t> classes_of(std::string_view operation,
                                    const Tensor& tensor,
                                    FromNumber from_number) {
  const std::size_t count = row_count(tensor, operation);
  const std::size_t width = row_size(tensor, operation);
  if (width == 0 || tensor.rank() > 2) {
    throw_invalid_shape(operation, tensor.shape(),
                        "classes are [n], [n, 1] or [n, classes]");
  }
  const Tensor dense = tensor.contiguous();
  const std::span<const float> values = dense.data();
  std::vector<std::size_t> classes(count);
  for (std::size_t row = 0; row < count; ++row) {
    const auto own = values.subspan(row * width, width);
    classes[row] = width == 1 ? from_number(row, own[0])
                              : largest_place(operation, row, own);
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
                             fmt::format("one_hot: row {} has the class {}, "
                                         "but there are only {} classes.",
                                         row, labels[row], class_count)));
    }
    values[row * class_count + labels[row]] = 1;
  }
  return rows;
}

Tensor one_hot(const Tensor& labels, std::size_t class_count) {
  if (row_size(labels, "one_hot") != 1) {
    throw_invalid_shape("one_hot", labels.shape(), "labels are [n] or [n, 1]");
  }
  return one_hot(class_indices(labels), class_count);
}

std::vector<std::size_t> class_indices(const Tensor& targets) {
  return classes_of("class_indices", targets, [](std::size_t row, float value) {
    return whole_number("class_indices", row, value);
  });
}

std::vector<std::size_t> predicted_classes(const Tensor& predictions) {
  return classes_of(
      "predicted_classes", predictions, [](std::size_t row, float value) {
        return whole_number("predicted_classes", row, std::round(value));
      });
}

}  // namespace lamarck::data
