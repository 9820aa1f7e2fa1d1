// Finds views (gp_view.h) in which the law behind a table has fewer inputs.

#pragma once

#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/gp/gp_view.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

// Returns a chain of views, each with fewer inputs than the one before; the
// first has fewer than `start`, which is not returned. A step is taken if a
// smooth model predicts held-out rows from the new inputs no worse than from
// the old ones. Deterministic, and bounded in time; empty with few rows, or if
// no smooth model fits. If the problem has dimensions, all views are
// consistent.
std::vector<GpView> find_views(const RegressionProblem& problem,
                               const GpView& start,
                               const CancelToken& cancel = {});

}  // namespace lamarck::gp
