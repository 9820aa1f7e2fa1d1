// Shorter forms with the same values.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Folds constants, drops +0, *1, --x and the like, gathers equal terms and
// factors, orders arguments of commutative operations. Never longer. Where all
// parts of the expression are finite the value stays the same but for rounding;
// where one is not, there may be a value now: x/x is 1.
Expression simplify(const Expression& expression);

// Params replaced by their numbers, then simplified.
Expression with_constants(const Expression& expression,
                          std::span<const double> params);

// The same for expressions that simplify to the same; with params compared by
// place, so that a*x + b and b*x + a are equal but x + x*a and x + a are not.
std::uint64_t canonical_hash(const Expression& expression);

}  // namespace lamarck::formula
