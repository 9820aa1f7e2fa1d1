// Params in which an expression is linear: least squares finds them at once.

#pragma once

#include <cstdint>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// 1 for each param of a set in which the expression is linear, all of them
// together: of a * b * x one of a and b. As many as can be, in their order.
std::vector<std::uint8_t> linear_params(const Expression& expression);

}  // namespace lamarck::formula
