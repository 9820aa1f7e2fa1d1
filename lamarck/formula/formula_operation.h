// The operations of formulas, in one list.
//
// The parser, the prompts, the vocabulary of the tree engine, --functions, the
// tests and the benchmark iterate over the list, and a test compares
// docs/formula.md with it. `apply`, the kernels (block_rules.inc) and the
// printers handle each `Op` in their own code; tests over the list catch one
// that was forgotten. Values are doubles; true is 1 and false is 0.

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
  Mod,  // As Python's %: has the sign of the divisor.
  Less,
  LessEqual,
  Equal,
  NotEqual,
  And,  // Any value but 0 is true.
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
  Round,  // Halves round to even, as in numpy.
  Not,
  // Three arguments.
  Where,  // Where(condition, then, otherwise).
};
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::Where) + 1;

struct Operation {
  Op op;
  std::string_view name;   // "sin", as in --functions and reports.
  std::string_view numpy;  // "np.sin", or "" if it has none.
  int arity;
  bool is_smooth;  // Differentiable wherever it is defined.
  // Tests draw all arguments from this interval.
  double low;
  double high;
};

// In the order of `Op`.
const std::array<Operation, kOpCount>& operations();
const Operation& operation(Op op);
// Finds an operation by its `name`; empty if there is none.
std::optional<Op> find_op(std::string_view name);

// Computes one value; the reference for all kernels. REQUIRES: op is not a
// leaf.
double apply(Op op, double a, double b = 0, double c = 0);

}  // namespace lamarck::formula
