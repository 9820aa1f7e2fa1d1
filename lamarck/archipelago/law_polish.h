// The last touch: constants to full precision, and nothing that does nothing.

#pragma once

#include "lamarck/archipelago/law.h"
#include "lamarck/archipelago/regression_problem.h"

namespace lamarck::archipelago {

// Fits the law to all rows of the problem, then takes away every node that it
// can do without, and rounds constants that are nearly simple numbers where
// that costs nothing. Never worse than `law` but by rounding.
Law polished(const Law& law, const RegressionProblem& problem);

}  // namespace lamarck::archipelago
