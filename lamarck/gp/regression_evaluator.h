// Scores a formula on a table: fits its constants, then scores each slice of
// the rows by its negated error.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/formula/fit.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

struct RegressionEvaluatorOptions {
  // The rows are sorted by the target and cut into this many slices.
  std::size_t slices = 4;
  formula::FitOptions fit{.iterations = 60, .starts = 12};
  // Iterations for formulas whose constants are already fitted.
  int polishing_steps = 8;
};

// The scores are -MSE / var(y) of each slice; their mean is -NMSE if the slices
// are of equal size. Errors are multiplied by
// the weights of the rows, if there are any. The fit starts from the skeleton's
// constants. Skeletons that are not formulas fail.
class RegressionEvaluator : public archipelago::Evaluator {
 public:
  // `problem` must outlive the evaluator.
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
