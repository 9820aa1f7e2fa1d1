// The last touch: constants to full precision, and nothing that does nothing.

#pragma once

#include <vector>

#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law.h"

namespace lamarck::law {

// The law fitted to all rows of the problem; and, unless it is no tree, one
// from which every node is gone that it can do without, with constants rounded
// that are nearly simple numbers where that costs nothing.
std::vector<Law> polished(const Law& law, const gp::RegressionProblem& problem);

}  // namespace lamarck::law
