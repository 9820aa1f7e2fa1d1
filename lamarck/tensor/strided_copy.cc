#include "lamarck/tensor/strided_copy.h"

#include <algorithm>
#include <array>

namespace lamarck {
namespace {

// Calls row(offset in the strided tensor, offset in the dense one) for each row
// along the last axis. The strided offset advances like an odometer.
template <class F>
void for_each_row(const Shape& shape, std::span<const std::int64_t> strides,
                  F&& row) {
  if (shape.element_count() == 0) return;
  if (shape.rank() == 0) return row(0, 0);
  const std::size_t outer = shape.rank() - 1;
  const std::int64_t width = shape[outer];
  std::array<std::int64_t, Shape::kMaxRank> index{};
  std::int64_t strided = 0;
  for (std::int64_t dense = 0; dense < shape.element_count(); dense += width) {
    row(strided, dense);
    for (std::size_t axis = outer; axis-- > 0;) {
      strided += strides[axis];
      if (++index[axis] < shape[axis]) break;
      strided -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

void copy_to_dense(const float* from, std::span<const std::int64_t> strides,
                   const Shape& shape, float* to) {
  const std::int64_t width = shape.rank() == 0 ? 1 : shape.from_back(0);
  const std::int64_t step = shape.rank() == 0 ? 1 : strides.back();
  for_each_row(shape, strides, [&](std::int64_t strided, std::int64_t dense) {
    if (step == 1) {
      std::copy_n(from + strided, width, to + dense);
      return;
    }
    for (std::int64_t i = 0; i < width; ++i) {
      to[dense + i] = from[strided + i * step];
    }
  });
}

void copy_from_dense(const float* from, float* to,
                     std::span<const std::int64_t> strides,
                     const Shape& shape) {
  const std::int64_t width = shape.rank() == 0 ? 1 : shape.from_back(0);
  const std::int64_t step = shape.rank() == 0 ? 1 : strides.back();
  for_each_row(shape, strides, [&](std::int64_t strided, std::int64_t dense) {
    for (std::int64_t i = 0; i < width; ++i) {
      to[strided + i * step] = from[dense + i];
    }
  });
}

}  // namespace lamarck
