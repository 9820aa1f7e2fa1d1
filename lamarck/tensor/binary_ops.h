// The one list of functions of two numbers, applied to arrays with
// broadcasting: value and both slopes side by side.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/tensor/shape.h"

namespace lamarck {

// One function y = f(a, b), vectorised. A step of 0 repeats the first element,
// a step of 1 walks the array.
struct BinaryOp {
  using Value = void (*)(const float* a, std::size_t a_step, const float* b,
                         std::size_t b_step, float* y, std::size_t count);
  // out[i] = dy[i] times the slope with respect to a (or to b).
  using Gradient = void (*)(const float* a, std::size_t a_step, const float* b,
                            std::size_t b_step, const float* dy, float* out,
                            std::size_t count);

  std::string_view name;
  std::string_view what;  // For people, in a few words.
  std::string_view onnx;  // In terms of a and b; see onnx_expression.h.
  Value value = nullptr;
  Gradient gradient_a = nullptr;
  Gradient gradient_b = nullptr;
  bool is_comparison = false;  // Gives 0 or 1; its slopes are 0.
  bool slopes_are_constant = false;
  std::array<bool, 2> slope_is_one{};  // Towards a, towards b.
  // Where tests sample b; a is sampled in [-2, 2]. Near a == b some have kinks.
  float b_low = -2;
  float b_high = 2;
  bool has_kink = false;
};

std::span<const BinaryOp> binary_ops();

// Throws LogicError, with the nearest name, if there is none of that name.
const BinaryOp& binary_op(std::string_view name);

// How the axes of an operation are walked: planned once for a pair of shapes,
// with neighbouring axes merged where both sides allow it.
struct BroadcastPlan {
  BroadcastPlan() = default;
  // REQUIRES: both broadcast to `out`.
  BroadcastPlan(const Shape& a, const Shape& b, const Shape& out);

  std::size_t rank = 0;  // Of the merged axes, without the innermost.
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  std::array<std::int64_t, Shape::kMaxRank> a_strides{};
  std::array<std::int64_t, Shape::kMaxRank> b_strides{};
  std::int64_t row_count = 1;
  std::int64_t row_size = 1;  // The innermost axis.
  std::size_t a_step = 1;     // Along it, 0 or 1.
  std::size_t b_step = 1;
};

// y = f(a, b), with y dense.
void run_binary(const BinaryOp& op, const BroadcastPlan& plan, const float* a,
                const float* b, float* y);
// out = dy times the slope towards a or b, in the shape of y.
void run_binary_gradient(BinaryOp::Gradient gradient, const BroadcastPlan& plan,
                         const float* a, const float* b, const float* dy,
                         float* out);

}  // namespace lamarck
