// Sums, means and extremes along an axis.

#pragma once

#include <cstdint>
#include <string_view>

#include "lamarck/tensor/shape.h"

namespace lamarck {

enum class Reduction : std::uint8_t { Sum, Mean, Max, Min };

// A tensor as three axes, outer x size x inner, in row-major order. Reductions
// work along the middle one.
struct AxisView {
  AxisView() = default;
  AxisView(const Shape& shape, std::size_t axis);
  // All elements as one axis.
  explicit AxisView(const Shape& shape);

  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// y [outer x inner] is the reduction of x. Throws LogicError for Max and Min of
// an empty axis.
void reduce(Reduction reduction, const AxisView& view, const float* x,
            float* y);

// Computes dx, which has the shape of x, from dy. Max and Min pass the gradient
// to the first of several equal elements. Adds to dx if `accumulate`.
void reduce_gradient(Reduction reduction, const AxisView& view, const float* x,
                     const float* y, const float* dy, float* dx,
                     bool accumulate);

// y is the index of the largest element along the axis; the first of several
// equal ones. Throws LogicError if the axis is empty.
void argmax(const AxisView& view, const float* x, float* y);

// The gradient of broadcasting: sums a tensor of shape `from` over the axes
// along which a tensor of shape `to` was broadcast. REQUIRES: `to` broadcasts
// to `from`.
void sum_to_shape(const float* x, const Shape& from, const Shape& to, float* y,
                  bool accumulate);

}  // namespace lamarck
