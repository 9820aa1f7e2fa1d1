// The sizes of a tensor along each axis.

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace lamarck {

// Up to eight axes, stored inline. A shape without axes is that of a scalar,
// which has one element.
class Shape {
 public:
  static constexpr std::size_t kMaxRank = 8;

  Shape() = default;
  // Throws LogicError for a negative size, too many axes, or too many elements.
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);

  std::size_t rank() const { return rank_; }
  // The product of all sizes.
  std::int64_t element_count() const { return element_count_; }
  // REQUIRES: axis < rank().
  std::int64_t operator[](std::size_t axis) const { return sizes_[axis]; }
  // Counts from the end: from_back(0) is the innermost axis. REQUIRES: rank() >
  // back.
  std::int64_t from_back(std::size_t back) const {
    return sizes_[rank_ - 1 - back];
  }

  std::span<const std::int64_t> sizes() const { return {sizes_.data(), rank_}; }
  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  // Resolves a negative axis; -1 is the last axis. Throws a LogicError that
  // names `operation` if there is no such axis.
  std::size_t axis(std::int64_t axis, std::string_view operation) const;

  // Copies with one axis resized, removed or inserted before `axis`.
  Shape with(std::size_t axis, std::int64_t size) const;
  Shape without(std::size_t axis) const;
  Shape with_inserted(std::size_t axis, std::int64_t size) const;

  std::string to_string() const;  // "[64, 784]"

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<std::int64_t, kMaxRank> sizes_{};
  std::size_t rank_ = 0;
  std::int64_t element_count_ = 1;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// As the end of a slice: up to the end of the axis, whatever its size.
inline constexpr std::int64_t kToEnd = 1'000'000'000'000;

// Begin and end of a slice, without negative numbers.
struct AxisRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
// Negative numbers count from the end of the axis. Throw a LogicError that
// names `operation` if the index or the range does not exist.
AxisRange find_range(const Shape& shape, std::size_t axis, std::int64_t begin,
                     std::int64_t end, std::string_view operation);
std::int64_t find_index(const Shape& shape, std::size_t axis,
                        std::int64_t index, std::string_view operation);

// Sizes of which one may be -1: it follows from the number of elements. Throws
// LogicError if there is no such shape.
Shape infer_shape(std::span<const std::int64_t> sizes, const Shape& of,
                  std::string_view operation);

// The shape of an elementwise operation on both. As in NumPy, shapes are
// aligned at the last axis, and sizes of 1 are repeated. Throws a LogicError
// with both shapes if they do not match.
Shape broadcast_shape(const Shape& a, const Shape& b,
                      std::string_view operation);

// The shape of the product [.., m, k] x [.., k, n]; leading axes broadcast.
// Throws LogicError if the shapes do not match.
Shape matmul_shape(const Shape& a, const Shape& b);

// The strides, in elements, that walk a dense tensor of shape `from` as if it
// had shape `to`; 0 along repeated axes. REQUIRES: `from` broadcasts to `to`.
std::array<std::int64_t, Shape::kMaxRank> broadcast_strides(const Shape& from,
                                                            const Shape& to);

// Throw a LogicError of kind shape_mismatch or invalid_shape, with the shapes
// in the message and as fields. `remedy` states what must hold, without a final
// period.
[[noreturn]] void throw_shape_mismatch(std::string_view operation,
                                       const Shape& left, const Shape& right,
                                       std::string_view remedy);
[[noreturn]] void throw_invalid_shape(std::string_view operation,
                                      const Shape& shape,
                                      std::string_view remedy);

// Throws a LogicError of kind invalid_value, for an index, a range or another
// argument. `requirement` states what must hold and what was given, without a
// final period.
[[noreturn]] void throw_invalid_value(std::string_view operation,
                                      std::string_view requirement);

}  // namespace lamarck
