// What a formula is worth for a table: its constants are fitted, and the score
// of each slice of the rows is what the error is below 0.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/formula/fit.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

struct RegressionEvaluatorOptions {
  std::size_t slices = 4;  // By the size of the target, so many rows each.
  formula::FitOptions fit{.iterations = 60, .starts = 12};
  // For formulas that come with constants which were fitted before.
  int polishing_steps = 8;
};

// Scores are -MSE / var(y), by slice; their mean is -NMSE. Children begin with
// their parents' constants. Only formulas are worth something.
class RegressionEvaluator : public archipelago::Evaluator {
 public:
  // `problem` outlives the evaluator.
  explicit RegressionEvaluator(const RegressionProblem& problem,
                               RegressionEvaluatorOptions options = {});

  std::size_t input_count() const override { return slices_.size(); }
  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

 private:
  const RegressionProblem* problem_;
  RegressionEvaluatorOptions options_;
  std::vector<const double*> pointers_;
  std::vector<std::vector<std::size_t>> slices_;
  double variance_ = 1;
};

}  // namespace lamarck::gp
