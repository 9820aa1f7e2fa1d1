// Writes a law as a person would: the smallest form with the same values, with
// fractions, roots and multiples of pi instead of decimal numbers.

#pragma once

#include "lamarck/base/cancel_token.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law.h"

namespace lamarck::law {

// Returns the law in its smallest form, or the law itself if there is no better
// one. All rows are checked: the error never grows beyond rounding. Constants
// are only recognized if the law is exact and stays so. Returns the given law
// once `cancel` is cancelled.
Law rewritten(const Law& law, const gp::RegressionProblem& problem,
              const CancelToken& cancel = {});

// Sets the standard deviation of each fitted constant, which the residuals and
// the derivatives of the law give. Exact laws have none.
void set_deviations(Law& law, const gp::RegressionProblem& problem);

}  // namespace lamarck::law
