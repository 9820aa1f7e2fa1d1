#include "lamarck/formula/internal/value_arithmetic.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "lamarck/base/ensure.h"

namespace lamarck::formula {
namespace {

// 2^53; beyond it, doubles do not represent every integer.
constexpr double kMaxExactInteger = 9007199254740992;

struct OperatorEntry {
  std::string_view word;
  Op op;
  bool is_swapped = false;
};

constexpr std::array<OperatorEntry, 13> kBinaryOperators = {{
    {"+", Op::Add},
    {"-", Op::Sub},
    {"*", Op::Mul},
    {"/", Op::Div},
    {"%", Op::Mod},
    {"&", Op::And},
    {"|", Op::Or},
    {"<", Op::Less},
    {"<=", Op::LessEqual},
    {">", Op::Less, true},
    {">=", Op::LessEqual, true},
    {"==", Op::Equal},
    {"!=", Op::NotEqual},
}};

// Computes an operation on two integers; empty if Python would raise an error.
std::optional<double> compute_integers(std::string_view word, double a,
                                       double b) {
  const bool divides = word == "/" || word == "//" || word == "%";
  if (divides && b == 0) return std::nullopt;
  if (word == "//") return std::floor(a / b);
  if (word == "**") return std::pow(a, b);
  const auto bits_a = static_cast<std::int64_t>(a);
  const auto bits_b = static_cast<std::int64_t>(b);
  if (word == "&") return static_cast<double>(bits_a & bits_b);
  if (word == "|") return static_cast<double>(bits_a | bits_b);
  if (word == "^") return static_cast<double>(bits_a ^ bits_b);
  for (const OperatorEntry& each : kBinaryOperators) {
    if (each.word != word) continue;
    return each.is_swapped ? apply(each.op, b, a) : apply(each.op, a, b);
  }
  return std::nullopt;
}

bool is_true(const Value& a) { return a.integer != 0; }

// Whether the integer is neutral, as in x + 0 and 1 * x.
bool is_neutral(std::string_view word, const Value& whole) {
  if (!whole.is_integer) return false;
  if (word == "+" || word == "-") return whole.integer == 0;
  return (word == "*" || word == "/") && whole.integer == 1;
}

}  // namespace

Value ValueArithmetic::whole(double integer) {
  Value result = real(integer + 0.0);  // Turns -0 into 0.
  result.is_integer = std::abs(integer) <= kMaxExactInteger;
  result.integer = integer;
  return result;
}

Value ValueArithmetic::node(Op op, const Value& a, const Value& b) {
  return Value::number(builder_.apply(op, a.node, b.node));
}

Value ValueArithmetic::binary(std::string_view word, const Value& a,
                              const Value& b) {
  if (a.is_integer && b.is_integer) {
    if (const auto value = compute_integers(word, a.integer, b.integer)) {
      const bool is_whole = word != "/" && !(word == "**" && b.integer < 0);
      return is_whole ? whole(*value) : real(*value);
    }
  }
  // Division by zero is left to the nodes, which give infinity or NaN.
  if (word == "**") return power(a, b);
  if (is_neutral(word, b)) return a;
  if ((word == "+" || word == "*") && is_neutral(word, a)) {
    return b;
  }
  if (word == "//") {
    return Value::number(builder_.apply(Op::Floor, node(Op::Div, a, b).node));
  }
  if (word == "^") {
    return node(Op::NotEqual, logical_not(a), logical_not(b));
  }
  for (const OperatorEntry& each : kBinaryOperators) {
    if (each.word != word) continue;
    return each.is_swapped ? node(each.op, b, a) : node(each.op, a, b);
  }
  ENSURE(false, "every operator is handled");
  return {};
}

Value ValueArithmetic::power(const Value& base, const Value& exponent) {
  if (exponent.is_integer) {
    if (exponent.integer == 0) return whole(1);
    if (exponent.integer == 1) return base;
    if (exponent.integer == 2) {
      return Value::number(builder_.apply(Op::Square, base.node));
    }
    if (exponent.integer == 3) {
      return Value::number(builder_.apply(Op::Cube, base.node));
    }
  }
  return node(Op::Pow, base, exponent);
}

Value ValueArithmetic::negated(const Value& a) {
  if (a.is_integer) return whole(-a.integer);
  return Value::number(builder_.apply(Op::Neg, a.node));
}

Value ValueArithmetic::logical_not(const Value& a) {
  if (a.is_integer) return whole(is_true(a) ? 0 : 1);
  return Value::number(builder_.apply(Op::Not, a.node));
}

bool ValueArithmetic::is_truth(const Value& a) const {
  const Op op = builder_.node(a.node).op;
  return (op >= Op::Less && op <= Op::Or) || op == Op::Not;
}

Value ValueArithmetic::logical_and(const Value& a, const Value& b) {
  if ((a.is_integer && !is_true(a)) || (b.is_integer && !is_true(b))) {
    return whole(0);
  }
  // A neutral operand is dropped only beside a truth value: `1 and x` must be 0
  // or 1, not x.
  if (a.is_integer && b.is_integer) return whole(1);
  if (a.is_integer && is_truth(b)) return b;
  if (b.is_integer && is_truth(a)) return a;
  return node(Op::And, a, b);
}

Value ValueArithmetic::logical_or(const Value& a, const Value& b) {
  if ((a.is_integer && is_true(a)) || (b.is_integer && is_true(b))) {
    return whole(1);
  }
  if (a.is_integer && b.is_integer) return whole(0);
  if (a.is_integer && is_truth(b)) return b;
  if (b.is_integer && is_truth(a)) return a;
  return node(Op::Or, a, b);
}

Value ValueArithmetic::where(const Value& condition, const Value& then,
                             const Value& otherwise) {
  if (condition.is_integer) return is_true(condition) ? then : otherwise;
  // Both branches are the same, so the condition does not matter.
  if (then.node == otherwise.node) {
    Value same = then;
    same.is_integer = then.is_integer && otherwise.is_integer;
    return same;
  }
  return Value::number(
      builder_.apply(Op::Where, condition.node, then.node, otherwise.node));
}

Value ValueArithmetic::where_truth(const Value& condition, const Value& then,
                                   const Value& otherwise) {
  if (otherwise.is_integer) {
    return is_true(otherwise) ? logical_or(logical_not(condition), then)
                              : logical_and(condition, then);
  }
  if (then.is_integer) {
    return is_true(then) ? logical_or(condition, otherwise)
                         : logical_and(logical_not(condition), otherwise);
  }
  return where(condition, then, otherwise);
}

}  // namespace lamarck::formula
