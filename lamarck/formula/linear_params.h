// Finds params in which an expression is linear, so that least squares can
// solve for them directly.

#pragma once

#include <cstdint>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Returns 1 for each param of a set in which the expression is jointly linear:
// for a * b * x, one of a and b. Chosen greedily in the order of the params.
std::vector<std::uint8_t> linear_params(const Expression& expression);

}  // namespace lamarck::formula
