// Whether a law holds where it was not fitted.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::law {

// Rows that are left out of a fit, to be foretold.
struct ForesightFold {
  std::vector<std::size_t> fitted;
  std::vector<std::size_t> foretold;
};

// The rows about the middle of all inputs' ranges foretell the others. Where
// inputs have few levels, each level within such an input's range is foretold
// by its other ones instead. Empty if there are too few rows. At most
// `most_rows` are used.
std::vector<ForesightFold> foresight_folds(const gp::RegressionProblem& problem,
                                           std::size_t most_rows = 3000);

// The mean over the folds of MSE / var(y) on the rows that are foretold, with
// params that begin with `params` and are fitted to the other rows; infinite if
// a value is not finite.
double foretold_nmse(const formula::Expression& body,
                     const std::vector<double>& params,
                     const gp::RegressionProblem& problem,
                     const std::vector<ForesightFold>& folds);

}  // namespace lamarck::law
