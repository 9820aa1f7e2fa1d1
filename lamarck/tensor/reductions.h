// Sums, means and extremes along axes.

#pragma once

#include <cstdint>
#include <string_view>

#include "lamarck/tensor/shape.h"

namespace lamarck {

enum class Reduction : std::uint8_t { Sum, Mean, Max, Min };

// A tensor seen from one axis: outer x size x inner, row-major.
struct AxisView {
  AxisView() = default;
  AxisView(const Shape& shape, std::size_t axis);
  // All elements as one axis.
  explicit AxisView(const Shape& shape);

  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

// y, of outer x inner, is the reduction of x. Max and Min of nothing throw
// LogicError.
void reduce(Reduction reduction, const AxisView& view, const float* x,
            float* y);

// dx, of the shape of x, is what dy gives back; Max and Min give it to the
// first of equal elements. Added to dx if `accumulate`.
void reduce_gradient(Reduction reduction, const AxisView& view, const float* x,
                     const float* y, const float* dy, float* dx,
                     bool accumulate);

// The position along the axis of the largest element, the first of equals.
void argmax(const AxisView& view, const float* x, float* y);

// Sums a tensor of shape `from` over the axes along which one of shape `to` was
// stretched. REQUIRES: `to` broadcasts to `from`.
void sum_to_shape(const float* x, const Shape& from, const Shape& to, float* y,
                  bool accumulate);

}  // namespace lamarck
