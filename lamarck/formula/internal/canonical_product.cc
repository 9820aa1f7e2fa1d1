#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lamarck/formula/internal/canonical_builder.h"

namespace lamarck::formula {
namespace {

bool is_whole(double value) { return value == std::floor(value); }
bool is_odd(double value) { return std::fmod(value, 2) != 0; }

// Exponents with an operation of their own, which need no constant.
bool is_short(double exponent) {
  return exponent == 1 || exponent == 2 || exponent == 3 || exponent == 0.5;
}

}  // namespace

NodeIndex CanonicalBuilder::product(std::span<const Weighted> factors) {
  Gathered gathered{.constant = 1};
  for (const auto& [exponent, factor] : factors) {
    add_factors(gathered, exponent, factor);
  }
  if (!gathered.is_finite()) return plain_product(factors);
  const NodeIndex result = built_product(gathered);
  // A negated sum absorbs the sign: -(a - b) is b - a.
  if (node(result).op == Op::Neg && is_sum(node(result).arguments[0])) {
    const Weighted negated = {-1, node(result).arguments[0]};
    return sum(std::span(&negated, 1));
  }
  return result;
}

void CanonicalBuilder::add_factors(Gathered& product, double exponent,
                                   NodeIndex factor) {
  // An explicit stack, because expressions may be too deep for recursion.
  std::vector<Weighted> open = {{exponent, factor}};
  while (!open.empty()) {
    const auto [power, index] = open.back();
    open.pop_back();
    const Node here = node(index);
    if (here.op == Op::Constant) {
      multiply(product, power, index);
    } else if (here.op == Op::Neg && is_whole(power)) {
      if (is_odd(power)) product.constant = -product.constant;
      open.emplace_back(power, here.arguments[0]);
    } else if (here.op == Op::Mul && std::abs(power) == 1 &&
               may_expand(product)) {
      open.emplace_back(power, here.arguments[1]);
      open.emplace_back(power, here.arguments[0]);
    } else if (here.op == Op::Div && std::abs(power) == 1 &&
               may_expand(product)) {
      open.emplace_back(-power, here.arguments[1]);
      open.emplace_back(power, here.arguments[0]);
    } else if (here.op == Op::Reciprocal && is_whole(power)) {
      open.emplace_back(-power, here.arguments[0]);
    } else if (!is_whole(power) || !add_power(product, power, index)) {
      product.add(index, power);
    }
  }
}

// Adds an integer power of a power, or of a product with a coefficient. Returns
// false, and adds nothing, for other factors.
bool CanonicalBuilder::add_power(Gathered& product, double exponent,
                                 NodeIndex factor) {
  const Node here = node(factor);
  switch (here.op) {
    case Op::Square:
      product.add(here.arguments[0], 2 * exponent);
      return true;
    case Op::Cube:
      product.add(here.arguments[0], 3 * exponent);
      return true;
    case Op::Sqrt:
      product.add(here.arguments[0], exponent / 2);
      return true;
    case Op::Abs:
      if (is_odd(exponent)) return false;
      product.add(here.arguments[0], exponent);
      return true;
    case Op::Pow: {
      const NodeIndex inner = here.arguments[1];
      if (!is_constant(inner)) return false;
      product.add(here.arguments[0], node(inner).value * exponent);
      return true;
    }
    case Op::Mul:
    case Op::Div:
      break;
    default:
      return false;
  }
  // The steps are shared with the outer product. Otherwise the factors of
  // factors would each be expanded in turn, which takes exponential time in an
  // expression such as x*x squared again and again.
  if (product.steps >= kMaxSteps || steps_ >= kMaxAllSteps) return false;
  Gathered base{.constant = 1};
  base.steps = product.steps;
  add_factors(base, 1, factor);
  product.steps = base.steps;
  const double coefficient = std::pow(base.constant, exponent);
  const bool is_normal = std::isnormal(coefficient * product.constant);
  // (c x)^n becomes c^n x^n.
  if (base.constant == 1 || !is_normal) return false;
  base.constant = 1;
  product.constant *= coefficient;
  product.add(built_product(base), exponent);
  return true;
}

// Marks the product as NaN on overflow or underflow, so that it is not
// collected but kept as written.
void CanonicalBuilder::multiply(Gathered& product, double exponent,
                                NodeIndex constant) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const double value = std::pow(node(constant).value, exponent);
  const double next = product.constant * value;
  const bool is_zero =
      next == 0 && (node(constant).value == 0 || product.constant == 0);
  product.constant = std::isnormal(next) || is_zero ? next : kNaN;
}

// Builds the product as written, from left to right.
NodeIndex CanonicalBuilder::plain_product(std::span<const Weighted> factors) {
  const auto& [first_exponent, first] = factors[0];
  NodeIndex result = first_exponent == -1 ? unary(Op::Reciprocal, first)
                                          : power(first, first_exponent);
  for (const auto& [exponent, factor] : factors.subspan(1)) {
    result = exponent == -1 ? binary(Op::Div, result, factor)
                            : binary(Op::Mul, result, power(factor, exponent));
  }
  return result;
}

NodeIndex CanonicalBuilder::power(NodeIndex base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return unary(Op::Square, base);
  if (exponent == 3) return unary(Op::Cube, base);
  if (exponent == 0.5) return unary(Op::Sqrt, base);
  return binary(Op::Pow, base, builder_.constant(exponent));
}

NodeIndex CanonicalBuilder::multiplied(std::span<const NodeIndex> factors) {
  NodeIndex result = factors[0];
  for (const NodeIndex factor : factors.subspan(1)) {
    result = builder_.apply(Op::Mul, result, factor);
  }
  return result;
}

NodeIndex CanonicalBuilder::built_product(Gathered& product) {
  if (product.constant == 0) return builder_.constant(0);
  std::erase_if(product.parts,
                [](const Weighted& part) { return part.first == 0; });
  std::sort(product.parts.begin(), product.parts.end(),
            [&](const Weighted& a, const Weighted& b) {
              if (a.second != b.second) return comes_first(a.second, b.second);
              return a.first < b.first;
            });
  // The numerator and the denominator.
  std::vector<NodeIndex> above;
  std::vector<NodeIndex> below;
  const bool has_above =
      std::abs(product.constant) != 1 ||
      std::any_of(product.parts.begin(), product.parts.end(),
                  [](const Weighted& part) { return part.first > 0; });
  for (const auto& [exponent, base] : product.parts) {
    // x**-2.5 has one node less than 1 / x**2.5.
    const bool stays =
        exponent > 0 || (!has_above && above.empty() && !is_short(-exponent));
    if (stays) {
      above.push_back(power(base, exponent));
    } else {
      below.push_back(power(base, -exponent));
    }
  }
  return quotient(product.constant, std::move(above), below);
}

NodeIndex CanonicalBuilder::quotient(double coefficient,
                                     std::vector<NodeIndex> above,
                                     std::span<const NodeIndex> below) {
  const bool is_sign = coefficient == -1 && !above.empty();
  if (above.empty() && below.empty()) return builder_.constant(coefficient);
  if (above.empty() && coefficient == 1) {
    return builder_.apply(Op::Reciprocal, multiplied(below));
  }
  if (coefficient != 1 && !is_sign) {
    above.insert(above.begin(), builder_.constant(coefficient));
  }
  NodeIndex result = multiplied(above);
  if (!below.empty()) {
    result = builder_.apply(Op::Div, result, multiplied(below));
  }
  return is_sign ? builder_.apply(Op::Neg, result) : result;
}

}  // namespace lamarck::formula
