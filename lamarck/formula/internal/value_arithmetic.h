// Operators on values. Whole numbers of the text are computed at once, all
// else becomes nodes.

#pragma once

#include <string_view>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/internal/value.h"

namespace lamarck::formula {

// All need Numbers.
class ValueArithmetic {
 public:
  // The builder outlives it.
  explicit ValueArithmetic(ExpressionBuilder& builder) : builder_(builder) {}

  Value whole(double integer);
  Value real(double value) { return Value::number(builder_.constant(value)); }

  // + - * / // % ** & | ^ < <= > >= == !=. A small whole exponent becomes a
  // product: x**2 is a square, x**1 is x.
  Value binary(std::string_view word, const Value& a, const Value& b);
  Value negated(const Value& a);
  Value logical_not(const Value& a);
  Value logical_and(const Value& a, const Value& b);
  Value logical_or(const Value& a, const Value& b);
  // `condition` is no whole number.
  Value where(const Value& condition, const Value& then,
              const Value& otherwise);

 private:
  Value node(Op op, const Value& a, const Value& b);
  Value power(const Value& base, const Value& exponent);

  ExpressionBuilder& builder_;
};

}  // namespace lamarck::formula
