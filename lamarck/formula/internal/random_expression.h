// Expressions for tests, drawn by chance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression.h"

namespace lamarck::formula {

struct RandomExpressionOptions {
  std::size_t operations = 12;  // Nodes that are no leaves, at most.
  std::uint32_t inputs = 3;
  std::uint32_t params = 3;
  bool is_wild = false;  // Constants also infinite, NaN, -0, of 17 digits.
};

// Any operation, any sharing of parts.
Expression random_expression(Rng& rng, const RandomExpressionOptions& options);

// Its value by `apply` alone.
double scalar_value(const Expression& expression,
                    std::span<const double> inputs,
                    std::span<const double> params);

}  // namespace lamarck::formula
