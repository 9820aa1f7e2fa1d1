// The list of elementwise functions of one array. Each entry has its value and
// slope side by side. The graph, the gradient tests, the benchmarks and
// docs/operations.md iterate over it. Evolution has its own list of activations
// (evolution/node_function.h).

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace lamarck {

// One function y = f(x), vectorized for the instruction set in use.
struct UnaryOp {
  std::string_view name;
  std::string_view what;  // A short description for users.
  std::string_view onnx;  // In terms of x, p0 and p1; see onnx_expression.h.

  // y[i] = f(x[i]); x and y may be the same array.
  void (*value)(const float* x, float* y, std::size_t count,
                const float* parameters);
  // dx[i] = dy[i] * f'(x[i]), or dx[i] += ... if `accumulate`. y is f(x).
  void (*gradient)(const float* x, const float* y, const float* dy, float* dx,
                   std::size_t count, const float* parameters, bool accumulate);

  std::size_t parameter_count = 0;
  std::array<float, 2> default_parameters{};
  bool is_activation = false;  // Common as an activation in networks.
  // The values that the slope is computed from.
  bool slope_reads_x = true;
  bool slope_reads_y = false;
  // The range that tests sample from. They stay away from kinks, where the
  // slope jumps.
  float domain_low = -2;
  float domain_high = 2;
  std::size_t kink_count = 0;
  std::array<float, 2> kinks{};
};

std::span<const UnaryOp> unary_ops();

// Throws a LogicError that suggests the nearest name if there is no such
// function.
const UnaryOp& unary_op(std::string_view name);

}  // namespace lamarck
