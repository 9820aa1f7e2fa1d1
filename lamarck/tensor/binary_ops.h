// The list of elementwise functions of two arrays, with broadcasting. Each
// entry has its value and both slopes side by side.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/tensor/shape.h"

namespace lamarck {

// One vectorized function y = f(a, b). A step of 0 repeats the first element of
// an array, a step of 1 walks it.
struct BinaryOp {
  using Value = void (*)(const float* a, std::size_t a_step, const float* b,
                         std::size_t b_step, float* y, std::size_t count);
  // out[i] = dy[i] times the slope with respect to a (or b).
  using Gradient = void (*)(const float* a, std::size_t a_step, const float* b,
                            std::size_t b_step, const float* dy, float* out,
                            std::size_t count);

  std::string_view name;
  std::string_view what;  // A short description for users.
  std::string_view onnx;  // In terms of a and b; see onnx_expression.h.
  Value value = nullptr;
  Gradient gradient_a = nullptr;
  Gradient gradient_b = nullptr;
  bool is_comparison = false;  // The result is 0 or 1, and the slopes are 0.
  bool slopes_are_constant = false;
  std::array<bool, 2> slope_is_one{};  // With respect to a, and to b.
  // Tests sample b from this range, and a from [-2, 2]. Functions with a kink
  // have it at a == b.
  float b_low = -2;
  float b_high = 2;
  bool has_kink = false;
};

std::span<const BinaryOp> binary_ops();

// Throws a LogicError that suggests the nearest name if there is no such
// function.
const BinaryOp& binary_op(std::string_view name);

// How to walk the axes of a broadcast operation. It is computed once for a pair
// of shapes. Adjacent axes are merged if both sides allow it, so that the inner
// loop is as long as possible.
struct BroadcastPlan {
  BroadcastPlan() = default;
  // REQUIRES: both shapes broadcast to `out`.
  BroadcastPlan(const Shape& a, const Shape& b, const Shape& out);

  std::size_t rank = 0;  // The number of merged axes, without the innermost.
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  std::array<std::int64_t, Shape::kMaxRank> a_strides{};
  std::array<std::int64_t, Shape::kMaxRank> b_strides{};
  std::int64_t row_count = 1;
  std::int64_t row_size = 1;  // The innermost axis.
  std::size_t a_step = 1;     // Along the innermost axis: 0 or 1.
  std::size_t b_step = 1;
};

// y = f(a, b); y is dense.
void run_binary(const BinaryOp& op, const BroadcastPlan& plan, const float* a,
                const float* b, float* y);
// out = dy times the slope with respect to a or b, in the shape of y.
void run_binary_gradient(BinaryOp::Gradient gradient, const BroadcastPlan& plan,
                         const float* a, const float* b, const float* dy,
                         float* out);

}  // namespace lamarck
