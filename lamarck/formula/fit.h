// Fits the params of an expression to data by least squares:
// Levenberg-Marquardt with exact derivatives, from several starts.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

struct FitOptions {
  int iterations = 50;           // Steps per start.
  std::size_t starts = 10;       // The given start, then data-aware ones.
  std::size_t first_rows = 512;  // Rows that starts compete on; 0 means all.
  double tolerance = 1e-12;      // Smallest relative fall of the error.
  double good_enough = 0;        // No further start is tried below this NMSE.
  // How much each row counts, above 0, also in the NMSE; empty: all the same.
  std::span<const double> weights = {};
};

struct Fit {
  std::vector<double> params;
  // MSE / var(target); MSE / mean(target)^2 if the target is constant; the
  // plain MSE if the target is 0. Infinite if no finite fit was found.
  double nmse = 0;
  std::size_t evaluations = 0;  // Full passes over the rows, rounded up.
  bool is_finite() const;
};

// Draws start values that suit the data: constants that shift an input come
// from its quantiles, and scales are log-uniform around the input's own scale;
// all others are around 1.
std::vector<double> data_aware_start(const Expression& expression,
                                     const Columns& columns, Rng& rng);

// Returns params that are never worse than `first`. A start that yields a
// non-finite value in any row is discarded; the fit continues from other
// starts. `first` may be empty or shorter than the params; the others are
// drawn. Params in which the expression is linear are solved for exactly.
// Without rows, returns `first` with an infinite NMSE. REQUIRES: target.size()
// == columns.rows, and so are the weights, unless they are empty.
Fit fit(ExpressionPlan& plan, const Columns& columns,
        std::span<const double> target, std::span<const double> first,
        const FitOptions& options, Rng& rng, const CancelToken& cancel = {});

}  // namespace lamarck::formula
