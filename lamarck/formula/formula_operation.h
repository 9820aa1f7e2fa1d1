// Everything that a formula can compute, in one list.
//
// The parser, the kernels, the derivatives, the printers, the tests, the
// genetic engine and the documentation walk it. Values are doubles; what is
// true is 1 and what is false is 0.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lamarck::formula {

enum class Op : std::uint8_t {
  // Leaves.
  Constant,  // A number in the text.
  Input,     // A column of the data.
  Param,     // params[i]: a constant that is fitted.
  // Two arguments.
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Minimum,
  Maximum,
  Arctan2,
  Hypot,
  Mod,  // As Python's %: the sign is that of the divisor.
  Less,
  LessEqual,
  Equal,
  NotEqual,
  And,  // Of truths: not 0.
  Or,
  // One argument.
  Neg,
  Abs,
  Sign,
  Square,
  Cube,
  Reciprocal,
  Sqrt,
  Cbrt,
  Exp,
  Expm1,
  Log,
  Log1p,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Arcsin,
  Arccos,
  Arctan,
  Sinh,
  Cosh,
  Tanh,
  Floor,
  Ceil,
  Round,  // Halves to the even one, as numpy does.
  Not,
  // Three arguments.
  Where,  // Where(condition, then, otherwise).
};
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::Where) + 1;

struct Operation {
  Op op;
  std::string_view name;   // "sin": what --functions and reports call it.
  std::string_view numpy;  // "np.sin", or "" where Python has an operator.
  int arity;
  bool is_smooth;  // Has a derivative wherever it has a value.
  // Where the tests sample its arguments: every one between these.
  double low;
  double high;
};

// In the order of `Op`.
const std::array<Operation, kOpCount>& operations();
const Operation& operation(Op op);
// By `name`; nothing if there is none.
std::optional<Op> op_named(std::string_view name);

// One value: what every kernel must agree with.
double apply(Op op, double a, double b = 0, double c = 0);

}  // namespace lamarck::formula
