// Simple numbers instead of fitted constants in laws that are not exact.

#pragma once

#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law.h"

namespace lamarck::law {

// Replaces fitted constants by integers and simple fractions, one after
// another, while that shortens the description of rows and law together:
// 1.003*x**1.98 becomes x**2 if the noise allows it. The other constants are
// fitted again. Returns the law after each replacement; nothing for an exact
// law, or one with many constants.
std::vector<Law> with_simple_constants(const Law& law,
                                       const gp::RegressionProblem& problem,
                                       const CancelToken& cancel = {});

}  // namespace lamarck::law
