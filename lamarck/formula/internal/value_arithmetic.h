// Operators on values. Integers known while parsing are computed directly;
// everything else becomes nodes.

#pragma once

#include <string_view>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/internal/value.h"

namespace lamarck::formula {

// REQUIRES, for all functions: the values are Numbers.
class ValueArithmetic {
 public:
  // The builder must outlive it.
  explicit ValueArithmetic(ExpressionBuilder& builder) : builder_(builder) {}

  // An integer known while parsing, and a constant node.
  Value whole(double integer);
  Value real(double value) { return Value::number(builder_.constant(value)); }

  // + - * / // % ** & | ^ < <= > >= == !=. Neutral integers are dropped: x**2
  // becomes a square, and x**1 and x + 0 become x.
  Value binary(std::string_view word, const Value& a, const Value& b);
  Value negated(const Value& a);
  Value logical_not(const Value& a);
  Value logical_and(const Value& a, const Value& b);
  Value logical_or(const Value& a, const Value& b);
  // `then` where `condition` holds, else `otherwise`.
  Value where(const Value& condition, const Value& then,
              const Value& otherwise);
  // The same for truth values, with and, or and not instead of Where if
  // possible.
  Value where_truth(const Value& condition, const Value& then,
                    const Value& otherwise);

 private:
  bool is_truth(const Value& a) const;
  Value node(Op op, const Value& a, const Value& b);
  Value power(const Value& base, const Value& exponent);

  ExpressionBuilder& builder_;
};

}  // namespace lamarck::formula
