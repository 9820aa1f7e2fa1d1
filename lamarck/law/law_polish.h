// Polishes a law: constants of full precision and no unneeded parts.

#pragma once

#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law.h"

namespace lamarck::law {

// Returns the law fitted to all rows and, if it can be converted to a tree, a
// second law without unneeded nodes, whose constants are rounded to simple
// numbers where that does not increase the error. Once `cancel` is cancelled,
// returns what it has; the first law is never worse than the given one.
std::vector<Law> polish(const Law& law, const gp::RegressionProblem& problem,
                        const CancelToken& cancel = {});

}  // namespace lamarck::law
