#include "lamarck/formula/internal/known_function.h"

#include <array>
#include <limits>
#include <numbers>

namespace lamarck::formula {
namespace {

using Builder = ExpressionBuilder;
using Arguments = std::span<const NodeIndex>;

// Other names of operations, in numpy, math or Python.
struct Alias {
  std::string_view name;
  Op op;
};

constexpr std::array<Alias, 33> kAliases = {{
    {"absolute", Op::Abs},
    {"fabs", Op::Abs},
    {"power", Op::Pow},
    {"float_power", Op::Pow},
    {"pow", Op::Pow},
    {"add", Op::Add},
    {"subtract", Op::Sub},
    {"multiply", Op::Mul},
    {"divide", Op::Div},
    {"true_divide", Op::Div},
    {"negative", Op::Neg},
    {"mod", Op::Mod},
    {"remainder", Op::Mod},
    {"min", Op::Minimum},
    {"max", Op::Maximum},
    {"fmin", Op::Minimum},
    {"fmax", Op::Maximum},
    {"atan2", Op::Arctan2},
    {"asin", Op::Arcsin},
    {"acos", Op::Arccos},
    {"atan", Op::Arctan},
    {"less", Op::Less},
    {"less_equal", Op::LessEqual},
    {"equal", Op::Equal},
    {"not_equal", Op::NotEqual},
    {"rint", Op::Round},
    {"around", Op::Round},
    {"sgn", Op::Sign},
    {"cube", Op::Cube},
    {"neg", Op::Neg},
    {"sub", Op::Sub},
    {"mul", Op::Mul},
    {"div", Op::Div},
}};

// Conversions such as float() and np.asarray() do nothing: values are doubles.
NodeIndex identity(Builder&, Arguments a) { return a[0]; }
NodeIndex second(Builder&, Arguments a) { return a[1]; }
NodeIndex zero(Builder& b, Arguments) { return b.constant(0); }
NodeIndex one(Builder& b, Arguments) { return b.constant(1); }

NodeIndex greater(Builder& b, Arguments a) {
  return b.apply(Op::Less, a[1], a[0]);
}
NodeIndex greater_equal(Builder& b, Arguments a) {
  return b.apply(Op::LessEqual, a[1], a[0]);
}
NodeIndex logical_xor(Builder& b, Arguments a) {
  return b.apply(Op::NotEqual, b.apply(Op::Not, a[0]), b.apply(Op::Not, a[1]));
}
NodeIndex floor_divide(Builder& b, Arguments a) {
  return b.apply(Op::Floor, b.apply(Op::Div, a[0], a[1]));
}
NodeIndex clip(Builder& b, Arguments a) {
  return b.apply(Op::Minimum, b.apply(Op::Maximum, a[0], a[1]), a[2]);
}
NodeIndex exp2(Builder& b, Arguments a) {
  return b.apply(Op::Pow, b.constant(2), a[0]);
}

NodeIndex scaled(Builder& b, double factor, NodeIndex x) {
  return b.apply(Op::Mul, b.constant(factor), x);
}
NodeIndex radians(Builder& b, Arguments a) {
  return scaled(b, std::numbers::pi / 180, a[0]);
}
NodeIndex degrees(Builder& b, Arguments a) {
  return scaled(b, 180 / std::numbers::pi, a[0]);
}

// (sign(x) + 1) / 2, and the second argument where x is 0.
NodeIndex heaviside(Builder& b, Arguments a) {
  const NodeIndex step =
      scaled(b, 0.5, b.apply(Op::Add, b.apply(Op::Sign, a[0]), b.constant(1)));
  const NodeIndex is_zero = b.apply(Op::Equal, a[0], b.constant(0));
  return b.apply(Op::Where, is_zero, a[1], step);
}

NodeIndex trunc(Builder& b, Arguments a) {
  const NodeIndex is_negative = b.apply(Op::Less, a[0], b.constant(0));
  return b.apply(Op::Where, is_negative, b.apply(Op::Ceil, a[0]),
                 b.apply(Op::Floor, a[0]));
}

// sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))) is accurate near 0 too.
NodeIndex arcsinh(Builder& b, Arguments a) {
  const NodeIndex square = b.apply(Op::Square, a[0]);
  const NodeIndex root =
      b.apply(Op::Sqrt, b.apply(Op::Add, square, b.constant(1)));
  const NodeIndex rest =
      b.apply(Op::Div, square, b.apply(Op::Add, b.constant(1), root));
  const NodeIndex grown = b.apply(Op::Add, b.apply(Op::Abs, a[0]), rest);
  return b.apply(Op::Mul, b.apply(Op::Sign, a[0]), b.apply(Op::Log1p, grown));
}

// log(x + sqrt(x - 1) sqrt(x + 1)); x^2 - 1 could overflow.
NodeIndex arccosh(Builder& b, Arguments a) {
  const NodeIndex one_less = b.apply(Op::Sub, a[0], b.constant(1));
  const NodeIndex one_more = b.apply(Op::Add, a[0], b.constant(1));
  const NodeIndex root = b.apply(Op::Mul, b.apply(Op::Sqrt, one_less),
                                 b.apply(Op::Sqrt, one_more));
  return b.apply(Op::Log, b.apply(Op::Add, a[0], root));
}

NodeIndex arctanh(Builder& b, Arguments a) {
  const NodeIndex upper = b.apply(Op::Log1p, a[0]);
  const NodeIndex lower = b.apply(Op::Log1p, b.apply(Op::Neg, a[0]));
  return scaled(b, 0.5, b.apply(Op::Sub, upper, lower));
}

NodeIndex sinc(Builder& b, Arguments a) {
  const NodeIndex angle = scaled(b, std::numbers::pi, a[0]);
  const NodeIndex is_zero = b.apply(Op::Equal, a[0], b.constant(0));
  const NodeIndex quotient = b.apply(Op::Div, b.apply(Op::Sin, angle), angle);
  return b.apply(Op::Where, is_zero, b.constant(1), quotient);
}

// max(a, b) + log1p(exp(-|a - b|)) does not overflow.
NodeIndex logaddexp(Builder& b, Arguments a) {
  const NodeIndex distance = b.apply(Op::Abs, b.apply(Op::Sub, a[0], a[1]));
  const NodeIndex rest =
      b.apply(Op::Log1p, b.apply(Op::Exp, b.apply(Op::Neg, distance)));
  return b.apply(Op::Add, b.apply(Op::Maximum, a[0], a[1]), rest);
}

// Only NaN differs from itself.
NodeIndex isnan(Builder& b, Arguments a) {
  return b.apply(Op::NotEqual, a[0], a[0]);
}
NodeIndex isfinite(Builder& b, Arguments a) {
  const NodeIndex infinity =
      b.constant(std::numeric_limits<double>::infinity());
  return b.apply(Op::Less, b.apply(Op::Abs, a[0]), infinity);
}

constexpr std::array<KnownFunction, 35> kComposed = {{
    {"float", 1, identity},
    {"float64", 1, identity},
    {"asarray", 1, identity},
    {"array", 1, identity},
    {"int", 1, trunc},
    {"trunc", 1, trunc},
    {"fix", 1, trunc},
    {"positive", 1, identity},
    {"zeros_like", 1, zero},
    {"ones_like", 1, one},
    {"full_like", 2, second},
    {"greater", 2, greater},
    {"greater_equal", 2, greater_equal},
    {"logical_xor", 2, logical_xor},
    {"floor_divide", 2, floor_divide},
    {"clip", 3, clip},
    {"exp2", 1, exp2},
    {"radians", 1, radians},
    {"deg2rad", 1, radians},
    {"degrees", 1, degrees},
    {"rad2deg", 1, degrees},
    {"heaviside", 2, heaviside},
    {"arcsinh", 1, arcsinh},
    {"asinh", 1, arcsinh},
    {"arccosh", 1, arccosh},
    {"acosh", 1, arccosh},
    {"arctanh", 1, arctanh},
    {"atanh", 1, arctanh},
    {"sinc", 1, sinc},
    {"logaddexp", 2, logaddexp},
    {"isnan", 1, isnan},
    {"isfinite", 1, isfinite},
    {"bool", 1, identity},
    {"atleast_1d", 1, identity},
    {"ravel", 1, identity},
}};

// Functions that formulas cannot have, with advice for the error message.
struct Advice {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kPerRow =
    "a formula sees one row at a time; write the sum or product out, as in "
    "a + b";
constexpr std::array<Advice, 27> kAdvice = {{
    {"sum", kPerRow},
    {"mean", kPerRow},
    {"std", kPerRow},
    {"var", kPerRow},
    {"median", kPerRow},
    {"prod", kPerRow},
    {"dot", kPerRow},
    {"matmul", kPerRow},
    {"inner", kPerRow},
    {"outer", kPerRow},
    {"cumsum", kPerRow},
    {"diff", kPerRow},
    {"gradient", kPerRow},
    {"any", kPerRow},
    {"all", kPerRow},
    {"argmax", kPerRow},
    {"argmin", kPerRow},
    {"polyval", kPerRow},
    {"amax", "use np.maximum(a, b)"},
    {"amin", "use np.minimum(a, b)"},
    {"len", "write the number itself"},
    {"print", "remove it"},
    {"enumerate", "write 'for i in range(3):' and params[i]"},
    {"zip", "write 'for i in range(3):' and params[i]"},
    {"vectorize", "write the function for one row"},
    {"piecewise", "use np.where(condition, then, otherwise)"},
    {"erf", "use np.tanh(1.2 * x), which is close"},
}};

}  // namespace

std::span<const KnownFunction> composed_functions() { return kComposed; }

std::optional<Op> op_called(std::string_view name) {
  for (const Operation& entry : operations()) {
    if (!entry.numpy.empty() && entry.numpy.substr(3) == name) return entry.op;
  }
  for (const Alias& other : kAliases) {
    if (other.name == name) return other.op;
  }
  return std::nullopt;
}

const KnownFunction* composed_function(std::string_view name) {
  for (const KnownFunction& function : kComposed) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::optional<double> known_number(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "tau") return 2 * std::numbers::pi;
  if (name == "euler_gamma") return std::numbers::egamma;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

std::string_view advice_instead_of(std::string_view name) {
  for (const Advice& advice : kAdvice) {
    if (advice.name == name) return advice.instead;
  }
  return "";
}

std::vector<std::string> callable_names() {
  std::vector<std::string> names;
  for (const Operation& entry : operations()) {
    if (!entry.numpy.empty()) names.emplace_back(entry.numpy.substr(3));
  }
  for (const Alias& other : kAliases) names.emplace_back(other.name);
  for (const KnownFunction& known : kComposed) names.emplace_back(known.name);
  return names;
}

}  // namespace lamarck::formula
