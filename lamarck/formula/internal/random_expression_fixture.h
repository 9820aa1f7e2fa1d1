// Random expressions for tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression.h"

namespace lamarck::formula {

struct RandomExpressionOptions {
  std::size_t operations = 12;  // Maximum number of inner nodes.
  std::uint32_t inputs = 3;
  std::uint32_t params = 3;
  bool is_wild = false;  // Also draws infinity, NaN, -0 and extreme constants.
};

// Draws from all operations, with random sharing of subexpressions.
Expression random_expression(Rng& rng, const RandomExpressionOptions& options);

// Evaluates the expression with `apply` alone.
double scalar_value(const Expression& expression,
                    std::span<const double> inputs,
                    std::span<const double> params);

}  // namespace lamarck::formula
