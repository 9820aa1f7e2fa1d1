// Tests whether a law holds for rows that it was not fitted to.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::law {

// Rows to fit and rows to predict.
struct ExtrapolationFold {
  std::vector<std::size_t> fitted;
  std::vector<std::size_t> predicted;
};

// By default one fold: the rows near the middle of all input ranges predict the
// others. If inputs have few levels, each inner level of such an input is
// predicted by the other levels instead. With fewer than 30 rows, each row is
// predicted by all others. Empty with fewer than 4 rows. Uses at most
// `max_rows` rows.
std::vector<ExtrapolationFold> make_extrapolation_folds(
    const gp::RegressionProblem& problem, std::size_t max_rows = 3000);

// Fits the params to the fitted rows of each fold, starting near `params`, and
// returns the mean over the folds of MSE / var(y) on the predicted rows.
// Returns infinity if a value is not finite.
double extrapolated_nmse(const formula::Expression& body,
                         const std::vector<double>& params,
                         const gp::RegressionProblem& problem,
                         const std::vector<ExtrapolationFold>& folds);

}  // namespace lamarck::law
