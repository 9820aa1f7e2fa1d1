// The one list of functions of one number, applied to arrays: value and slope
// side by side. The graph, the gradient tests, the benchmarks, evolution's
// choice of activations and the docs walk it.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace lamarck {

// One function y = f(x), vectorised for the machine it runs on.
struct UnaryOp {
  std::string_view name;
  std::string_view what;  // For people, in a few words.
  std::string_view onnx;  // In terms of x, p0 and p1; see onnx_expression.h.

  // y[i] = f(x[i]); x and y may be the same.
  void (*value)(const float* x, float* y, std::size_t count,
                const float* parameters);
  // dx[i] = dy[i] f'(x[i]), added to dx[i] if `accumulate`; y is f(x).
  void (*gradient)(const float* x, const float* y, const float* dy, float* dx,
                   std::size_t count, const float* parameters, bool accumulate);

  std::size_t parameter_count = 0;
  std::array<float, 2> default_parameters{};
  bool is_activation = false;
  // What the slope is worked out from.
  bool slope_reads_x = true;
  bool slope_reads_y = false;
  // Where tests sample; near a kink the slope jumps.
  float domain_low = -2;
  float domain_high = 2;
  std::size_t kink_count = 0;
  std::array<float, 2> kinks{};
};

std::span<const UnaryOp> unary_ops();

// Throws LogicError, with the nearest name, if there is none of that name.
const UnaryOp& unary_op(std::string_view name);

}  // namespace lamarck
