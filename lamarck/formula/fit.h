// The params that bring an expression closest to data, in the sense of least
// squares: Levenberg-Marquardt with exact derivatives.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

struct FitOptions {
  int iterations = 50;           // Steps from one start.
  std::size_t starts = 10;       // The given one, then data-aware ones.
  std::size_t first_rows = 512;  // Starts compete on so many; 0 means on all.
  double tolerance = 1e-12;      // Of the error's relative fall, to stop.
  double good_enough = 0;        // NMSE at which no further start is tried.
};

struct Fit {
  std::vector<double> params;
  // MSE / var(target), or / mean(target)^2 if the target is constant, or simply
  // the MSE if it is 0; infinite if nothing finite was found.
  double nmse = 0;
  std::size_t evaluations = 0;  // Of all rows' values or Jacobians, rounded up.
  bool is_finite() const;
};

// Data-aware starts: constants that shift an input come from its quantiles,
// scales are log-uniform about the input's own scale, the rest about 1.
std::vector<double> data_aware_start(const Expression& expression,
                                     const Columns& columns, Rng& rng);

// Never worse than `first`. Rows with a value that is not finite make a start
// worthless, not the fit. `first` may be shorter than the params (the rest is
// drawn) or empty. Params in which the expression is linear are solved for and
// need no luck. Without rows nothing is found.
Fit fit(ExpressionPlan& plan, const Columns& columns,
        std::span<const double> target, std::span<const double> first,
        const FitOptions& options, Rng& rng, const CancelToken& cancel = {});

}  // namespace lamarck::formula
