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

  // + - * / // % ** & | ^ < <= > >= == !=. Whole numbers may vanish: x**2 is
  // a square, x**1 and x + 0 are x.
  Value binary(std::string_view word, const Value& a, const Value& b);
  Value negated(const Value& a);
  Value logical_not(const Value& a);
  Value logical_and(const Value& a, const Value& b);
  Value logical_or(const Value& a, const Value& b);
  // Where `condition` holds, `then`.
  Value where(const Value& condition, const Value& then,
              const Value& otherwise);
  // Likewise of truths.
  Value where_truth(const Value& condition, const Value& then,
                    const Value& otherwise);

 private:
  bool is_truth(const Value& a) const;
  Value node(Op op, const Value& a, const Value& b);
  Value power(const Value& base, const Value& exponent);

  ExpressionBuilder& builder_;
};

}  // namespace lamarck::formula
