#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "lamarck/formula/internal/canonical_builder.h"

namespace lamarck::formula {
namespace {

struct Inverse {
  Op outer;
  Op inner;
};

// outer(inner(x)) equals x wherever it is defined.
constexpr std::array<Inverse, 6> kInverses = {{
    {Op::Log, Op::Exp},
    {Op::Exp, Op::Log},
    {Op::Log1p, Op::Expm1},
    {Op::Expm1, Op::Log1p},
    {Op::Cbrt, Op::Cube},
    {Op::Cube, Op::Cbrt},
}};

bool is_inverse(Op outer, Op inner) {
  return std::any_of(kInverses.begin(), kInverses.end(), [&](const auto& each) {
    return each.outer == outer && each.inner == inner;
  });
}

// f(-x) = -f(x)
bool is_odd_function(Op op) {
  switch (op) {
    case Op::Sin:
    case Op::Tan:
    case Op::Arcsin:
    case Op::Arctan:
    case Op::Sinh:
    case Op::Tanh:
    case Op::Cbrt:
    case Op::Sign:
      return true;
    default:
      return false;
  }
}

// f(-x) = f(x)
bool is_even_function(Op op) {
  return op == Op::Cos || op == Op::Cosh || op == Op::Abs || op == Op::Square;
}

// f(f(x)) = f(x)
bool is_projection(Op op) {
  return op == Op::Abs || op == Op::Sign || op == Op::Floor || op == Op::Ceil ||
         op == Op::Round;
}

bool is_never_negative(Op op) {
  return op == Op::Square || op == Op::Sqrt || op == Op::Exp ||
         op == Op::Cosh || op == Op::Hypot || op == Op::Abs;
}

// Whether the value is always 0 or 1.
bool is_truth(Op op) {
  return (op >= Op::Less && op <= Op::Or) || op == Op::Not;
}

bool is_commutative(Op op) {
  switch (op) {
    case Op::Minimum:
    case Op::Maximum:
    case Op::Hypot:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
      return true;
    default:
      return false;
  }
}

}  // namespace

NodeIndex CanonicalBuilder::apply(Op op, std::span<const NodeIndex> arguments) {
  if (arguments.size() == 1) return unary(op, arguments[0]);
  if (arguments.size() == 2) return binary(op, arguments[0], arguments[1]);
  return where(arguments[0], arguments[1], arguments[2]);
}

NodeIndex CanonicalBuilder::unary(Op op, NodeIndex a) {
  const Node inner = node(a);
  if (inner.op == Op::Constant) {
    return builder_.constant(formula::apply(op, inner.value));
  }
  const NodeIndex below = inner.arguments[0];
  if (is_inverse(op, inner.op)) return below;
  if (is_projection(op) && inner.op == op) return a;
  if (op == Op::Abs && is_never_negative(inner.op)) return a;
  if (op == Op::Not && inner.op == Op::Not && is_truth(node(below).op)) {
    return below;
  }
  if (op == Op::Sqrt && inner.op == Op::Square) return unary(Op::Abs, below);
  if (op == Op::Square && inner.op == Op::Abs) return unary(op, below);
  if (inner.op == Op::Neg && is_even_function(op)) return unary(op, below);
  if (inner.op == Op::Neg && is_odd_function(op)) {
    return builder_.apply(Op::Neg, unary(op, below));
  }
  return builder_.apply(op, a);
}

NodeIndex CanonicalBuilder::binary(Op op, NodeIndex a, NodeIndex b) {
  if (is_constant(a) && is_constant(b)) {
    return builder_.constant(formula::apply(op, node(a).value, node(b).value));
  }
  if (a == b) {
    // min(x, x) is x; so is `x and x`, if x is a truth value.
    if (op == Op::Minimum || op == Op::Maximum) return a;
    const bool is_logical = op == Op::And || op == Op::Or;
    if (is_logical && is_truth(node(a).op)) return a;
  }
  // 1**b is 1, even if b is NaN.
  if (op == Op::Pow && is_constant(a) && node(a).value == 1) return a;
  if (is_commutative(op) && comes_first(b, a)) std::swap(a, b);
  return builder_.apply(op, a, b);
}

NodeIndex CanonicalBuilder::where(NodeIndex condition, NodeIndex then,
                                  NodeIndex otherwise) {
  if (is_constant(condition)) {
    return node(condition).value != 0 ? then : otherwise;
  }
  if (then == otherwise) return then;
  // Swapping the branches removes the negation.
  if (node(condition).op == Op::Not) {
    return where(node(condition).arguments[0], otherwise, then);
  }
  return builder_.apply(Op::Where, condition, then, otherwise);
}

}  // namespace lamarck::formula
