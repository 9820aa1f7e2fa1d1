#include "lamarck/formula/formula_operation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"

namespace lamarck::formula {
namespace {

constexpr bool kSmooth = true;
constexpr bool kRough = false;

// clang-format off
constexpr std::array<Operation, kOpCount> kOperations = {{
    {Op::Constant, "constant", "", 0, kSmooth, -3, 3},
    {Op::Input, "input", "", 0, kSmooth, -3, 3},
    {Op::Param, "param", "", 0, kSmooth, -3, 3},
    {Op::Add, "add", "", 2, kSmooth, -3, 3},
    {Op::Sub, "sub", "", 2, kSmooth, -3, 3},
    {Op::Mul, "mul", "", 2, kSmooth, -3, 3},
    {Op::Div, "div", "", 2, kSmooth, 0.2, 3},
    {Op::Pow, "pow", "", 2, kSmooth, 0.2, 3},
    {Op::Minimum, "minimum", "np.minimum", 2, kRough, -3, 3},
    {Op::Maximum, "maximum", "np.maximum", 2, kRough, -3, 3},
    {Op::Arctan2, "arctan2", "np.arctan2", 2, kSmooth, 0.2, 3},
    {Op::Hypot, "hypot", "np.hypot", 2, kSmooth, 0.2, 3},
    {Op::Mod, "mod", "", 2, kRough, 0.2, 3},
    {Op::Less, "less", "", 2, kRough, -3, 3},
    {Op::LessEqual, "less_equal", "", 2, kRough, -3, 3},
    {Op::Equal, "equal", "", 2, kRough, -3, 3},
    {Op::NotEqual, "not_equal", "", 2, kRough, -3, 3},
    {Op::And, "and", "np.logical_and", 2, kRough, -3, 3},
    {Op::Or, "or", "np.logical_or", 2, kRough, -3, 3},
    {Op::Neg, "neg", "", 1, kSmooth, -3, 3},
    {Op::Abs, "abs", "np.abs", 1, kRough, -3, 3},
    {Op::Sign, "sign", "np.sign", 1, kRough, -3, 3},
    {Op::Square, "square", "np.square", 1, kSmooth, -3, 3},
    {Op::Cube, "cube", "", 1, kSmooth, -3, 3},
    {Op::Reciprocal, "reciprocal", "np.reciprocal", 1, kSmooth, 0.2, 3},
    {Op::Sqrt, "sqrt", "np.sqrt", 1, kSmooth, 0.2, 3},
    {Op::Cbrt, "cbrt", "np.cbrt", 1, kSmooth, 0.2, 3},
    {Op::Exp, "exp", "np.exp", 1, kSmooth, -3, 3},
    {Op::Expm1, "expm1", "np.expm1", 1, kSmooth, -3, 3},
    {Op::Log, "log", "np.log", 1, kSmooth, 0.2, 3},
    {Op::Log1p, "log1p", "np.log1p", 1, kSmooth, -0.8, 3},
    {Op::Log2, "log2", "np.log2", 1, kSmooth, 0.2, 3},
    {Op::Log10, "log10", "np.log10", 1, kSmooth, 0.2, 3},
    {Op::Sin, "sin", "np.sin", 1, kSmooth, -3, 3},
    {Op::Cos, "cos", "np.cos", 1, kSmooth, -3, 3},
    {Op::Tan, "tan", "np.tan", 1, kSmooth, -1.2, 1.2},
    {Op::Arcsin, "arcsin", "np.arcsin", 1, kSmooth, -0.9, 0.9},
    {Op::Arccos, "arccos", "np.arccos", 1, kSmooth, -0.9, 0.9},
    {Op::Arctan, "arctan", "np.arctan", 1, kSmooth, -3, 3},
    {Op::Sinh, "sinh", "np.sinh", 1, kSmooth, -3, 3},
    {Op::Cosh, "cosh", "np.cosh", 1, kSmooth, -3, 3},
    {Op::Tanh, "tanh", "np.tanh", 1, kSmooth, -3, 3},
    {Op::Floor, "floor", "np.floor", 1, kRough, -3, 3},
    {Op::Ceil, "ceil", "np.ceil", 1, kRough, -3, 3},
    {Op::Round, "round", "np.round", 1, kRough, -3, 3},
    {Op::Not, "not", "np.logical_not", 1, kRough, -3, 3},
    {Op::Where, "where", "np.where", 3, kRough, -3, 3},
}};
// clang-format on

// operation() indexes the list by Op.
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    if (kOperations[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

double truth(bool value) { return value ? 1.0 : 0.0; }

// NaN propagates, as in numpy.
double minimum(double a, double b) { return a < b || std::isnan(a) ? a : b; }
double maximum(double a, double b) { return a > b || std::isnan(a) ? a : b; }

// Python's %: fmod, corrected to the sign of the divisor.
double mod(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double sign(double a) {
  if (std::isnan(a)) return a;
  return truth(a > 0) - truth(a < 0);
}

double apply_binary(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Pow:
      return std::pow(a, b);
    case Op::Minimum:
      return minimum(a, b);
    case Op::Maximum:
      return maximum(a, b);
    case Op::Arctan2:
      return std::atan2(a, b);
    case Op::Hypot:
      return std::hypot(a, b);
    case Op::Mod:
      return mod(a, b);
    case Op::Less:
      return truth(a < b);
    case Op::LessEqual:
      return truth(a <= b);
    case Op::Equal:
      return truth(a == b);
    case Op::NotEqual:
      return truth(a != b);
    case Op::And:
      return truth(a != 0 && b != 0);
    case Op::Or:
      return truth(a != 0 || b != 0);
    default:
      break;
  }
  REQUIRE(false, "apply: the operation must not be a leaf, got '{}'.",
          operation(op).name);
  return 0;
}

double apply_unary(Op op, double a) {
  switch (op) {
    case Op::Neg:
      return -a;
    case Op::Abs:
      return std::abs(a);
    case Op::Sign:
      return sign(a);
    case Op::Square:
      return a * a;
    case Op::Cube:
      return a * a * a;
    case Op::Reciprocal:
      return 1 / a;
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Cbrt:
      return std::cbrt(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Expm1:
      return std::expm1(a);
    case Op::Log:
      return std::log(a);
    case Op::Log1p:
      return std::log1p(a);
    case Op::Log2:
      return std::log2(a);
    case Op::Log10:
      return std::log10(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Arcsin:
      return std::asin(a);
    case Op::Arccos:
      return std::acos(a);
    case Op::Arctan:
      return std::atan(a);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Round:
      return std::nearbyint(a);
    case Op::Not:
      return truth(a == 0);
    default:
      break;
  }
  REQUIRE(false, "apply: the operation must not be a leaf, got '{}'.",
          operation(op).name);
  return 0;
}

}  // namespace

const std::array<Operation, kOpCount>& operations() { return kOperations; }

const Operation& operation(Op op) {
  return kOperations[static_cast<std::size_t>(op)];
}

std::optional<Op> find_op(std::string_view name) {
  for (const Operation& entry : kOperations) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

double apply(Op op, double a, double b, double c) {
  if (op == Op::Where) return a != 0 ? b : c;
  return operation(op).arity == 2 ? apply_binary(op, a, b) : apply_unary(op, a);
}

}  // namespace lamarck::formula
