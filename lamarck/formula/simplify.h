// Simplifies expressions without changing their values.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Folds constants, drops +0, *1, --x and similar, collects equal terms and
// factors, and orders the arguments of commutative operations. The result is
// never longer. Where all parts of the expression are finite, the value is the
// same up to rounding; elsewhere the result may be defined where the original
// was not: x/x becomes 1.
Expression simplify(const Expression& expression);

// Replaces the params with numbers, then simplifies. REQUIRES: one number for
// each param.
Expression with_constants(const Expression& expression,
                          std::span<const double> params);

// Equal for expressions that simplify to the same form. Params are compared by
// order of appearance, so that a*x + b and b*x + a are equal, but x + x*a and x
// + a are not.
std::uint64_t canonical_hash(const Expression& expression);

}  // namespace lamarck::formula
