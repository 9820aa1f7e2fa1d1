#include "lamarck/tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/string_split.h"

namespace lamarck {

Shape::Shape(std::initializer_list<std::int64_t> sizes)
    : Shape(std::span(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) : rank_(sizes.size()) {
  if (sizes.size() > kMaxRank) {
    throw LogicError(Error(ErrorCode::InvalidArgument,
                           "A tensor can have at most 8 axes, got " +
                               std::to_string(sizes.size()) + "."));
  }
  // Check the product without the zeros: strides multiply all sizes after an
  // axis, so they could overflow even if the tensor is empty.
  std::int64_t product = 1;
  for (std::size_t i = 0; i < rank_; ++i) {
    const std::int64_t size = sizes[i];
    const bool is_too_large =
        size > 0 &&
        product > std::numeric_limits<std::int64_t>::max() / 8 / size;
    if (size < 0 || is_too_large) {
      throw LogicError(Error(ErrorCode::InvalidArgument,
                             "The size of axis " + std::to_string(i) +
                                 " must not be negative or overflow the "
                                 "element count, got " +
                                 std::to_string(size) + "."));
    }
    if (size > 0) product *= size;
    sizes_[i] = size;
    element_count_ *= size;
  }
}

std::size_t Shape::axis(std::int64_t axis, std::string_view operation) const {
  const auto rank = static_cast<std::int64_t>(rank_);
  if (axis < -rank || axis >= rank) {
    throw_invalid_value(
        operation,
        rank == 0 ? "a scalar has no axes, got axis " + std::to_string(axis)
                  : "the axis must be between " + std::to_string(-rank) +
                        " and " + std::to_string(rank - 1) + " for shape " +
                        to_string() + ", got " + std::to_string(axis));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Shape Shape::with(std::size_t axis, std::int64_t size) const {
  std::vector<std::int64_t> sizes(begin(), end());
  sizes.at(axis) = size;
  return Shape(sizes);
}

Shape Shape::without(std::size_t axis) const {
  std::vector<std::int64_t> sizes(begin(), end());
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
  return Shape(sizes);
}

Shape Shape::with_inserted(std::size_t axis, std::int64_t size) const {
  std::vector<std::int64_t> sizes(begin(), end());
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), size);
  return Shape(sizes);
}

std::string Shape::to_string() const {
  std::vector<std::string> parts;
  for (const std::int64_t size : *this) parts.push_back(std::to_string(size));
  return "[" + join_text(parts, ", ") + "]";
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.to_string();
}

AxisRange find_range(const Shape& shape, std::size_t axis, std::int64_t begin,
                     std::int64_t end, std::string_view operation) {
  const std::int64_t size = shape[axis];
  const std::int64_t first = begin < 0 ? begin + size : begin;
  const std::int64_t last = end == kToEnd ? size : end < 0 ? end + size : end;
  if (first < 0 || last < first || last > size) {
    throw_invalid_value(
        operation, fmt::format("the range of axis {} of shape {} must satisfy "
                               "0 <= begin <= end <= {}, counting negative "
                               "numbers from the end, got {} to {}",
                               axis, shape.to_string(), size, begin, end));
  }
  return {first, last};
}

std::int64_t find_index(const Shape& shape, std::size_t axis,
                        std::int64_t index, std::string_view operation) {
  const std::int64_t size = shape[axis];
  if (index < -size || index >= size) {
    throw_invalid_value(
        operation,
        size == 0
            ? fmt::format("axis {} of shape {} is empty, got index {}", axis,
                          shape.to_string(), index)
            : fmt::format("the index for axis {} of shape {} must be between "
                          "{} and {}, got {}",
                          axis, shape.to_string(), -size, size - 1, index));
  }
  return index < 0 ? index + size : index;
}

Shape infer_shape(std::span<const std::int64_t> sizes, const Shape& of,
                  std::string_view operation) {
  std::vector<std::int64_t> known(sizes.begin(), sizes.end());
  const auto open = std::ranges::find(known, -1);
  if (open == known.end()) return Shape(known);
  *open = 1;
  const Shape rest(known);
  if (rest.element_count() == 0 ||
      of.element_count() % rest.element_count() != 0) {
    throw_shape_mismatch(operation, of, rest,
                         "the number of elements must be divisible by the "
                         "product of the given sizes");
  }
  *open = of.element_count() / rest.element_count();
  return Shape(known);
}

Shape broadcast_shape(const Shape& a, const Shape& b,
                      std::string_view operation) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  for (std::size_t back = 0; back < rank; ++back) {
    const std::int64_t left = back < a.rank() ? a.from_back(back) : 1;
    const std::int64_t right = back < b.rank() ? b.from_back(back) : 1;
    if (left != right && left != 1 && right != 1) {
      throw_shape_mismatch(
          operation, a, b,
          "sizes must be equal or 1, counted from the last axis");
    }
    sizes[rank - 1 - back] = left == 1 ? right : left;
  }
  return Shape(std::span(sizes.data(), rank));
}

Shape matmul_shape(const Shape& a, const Shape& b) {
  if (a.rank() < 2 || b.rank() < 2) {
    throw_shape_mismatch("matmul", a, b,
                         "both operands need at least two axes");
  }
  if (a.from_back(0) != b.from_back(1)) {
    throw_shape_mismatch("matmul", a, b,
                         "the last size of the left operand must equal the "
                         "second-to-last size of the right operand");
  }
  const Shape left(a.sizes().first(a.rank() - 2));
  const Shape right(b.sizes().first(b.rank() - 2));
  const Shape batch = broadcast_shape(left, right, "matmul");
  return batch.with_inserted(batch.rank(), a.from_back(1))
      .with_inserted(batch.rank() + 1, b.from_back(0));
}

std::array<std::int64_t, Shape::kMaxRank> broadcast_strides(const Shape& from,
                                                            const Shape& to) {
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  std::int64_t step = 1;
  for (std::size_t back = 0; back < from.rank(); ++back) {
    const std::size_t axis = to.rank() - 1 - back;
    strides[axis] = from.from_back(back) == 1 ? 0 : step;
    step *= from.from_back(back);
  }
  return strides;
}

void throw_shape_mismatch(std::string_view operation, const Shape& left,
                          const Shape& right, std::string_view remedy) {
  throw LogicError(Error(ErrorCode::InvalidArgument,
                         std::string(operation) + ": shapes " +
                             left.to_string() + " and " + right.to_string() +
                             " do not match; " + std::string(remedy) + ".",
                         {{"kind", "shape_mismatch"},
                          {"operation", std::string(operation)},
                          {"left", left.to_string()},
                          {"right", right.to_string()}}));
}

void throw_invalid_shape(std::string_view operation, const Shape& shape,
                         std::string_view remedy) {
  throw LogicError(Error(ErrorCode::InvalidArgument,
                         std::string(operation) + ": shape " +
                             shape.to_string() + " does not fit; " +
                             std::string(remedy) + ".",
                         {{"kind", "invalid_shape"},
                          {"operation", std::string(operation)},
                          {"shape", shape.to_string()}}));
}

void throw_invalid_value(std::string_view operation,
                         std::string_view requirement) {
  throw LogicError(Error(
      ErrorCode::InvalidArgument,
      std::string(operation) + ": " + std::string(requirement) + ".",
      {{"kind", "invalid_value"}, {"operation", std::string(operation)}}));
}

}  // namespace lamarck
