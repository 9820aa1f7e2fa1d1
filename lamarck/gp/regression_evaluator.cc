#include "lamarck/gp/regression_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/gp_engine.h"

namespace lamarck::gp {
using archipelago::Evaluation;

namespace {

// A pass cannot be interrupted, so it must not take much longer than a second.
constexpr double kMaxPassWork = 5e9;

}  // namespace

RegressionEvaluator::RegressionEvaluator(const RegressionProblem& problem,
                                         RegressionEvaluatorOptions options)
    : problem_(&problem),
      options_(options),
      pointers_(problem.input_pointers()),
      variance_(variance_of(problem.target, problem.weights)) {
  options_.fit.weights = problem.weights;
  // Slices by the size of the target: formulas that are good at different sizes
  // get different signatures, hence different clusters.
  std::vector<std::size_t> order(problem.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return problem.target[a] < problem.target[b];
  });
  const std::size_t count =
      std::max<std::size_t>(1, std::min(options_.slices, order.size()));
  slices_.resize(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    slices_[i * count / order.size()].push_back(order[i]);
  }
}

Evaluation RegressionEvaluator::evaluate(const archipelago::Skeleton& skeleton,
                                         const CancelToken& cancel) const {
  const auto* formula =
      dynamic_cast<const archipelago::FormulaSkeleton*>(&skeleton);
  if (formula == nullptr)
    return Evaluation::failed("the function is not a formula");
  const formula::Expression& body = formula->formula().body;
  if (body.input_count() > pointers_.size()) {
    return Evaluation::failed(
        fmt::format("the formula has {} inputs, but the table has only {}",
                    body.input_count(), pointers_.size()));
  }
  // One pass with derivatives costs about this many operations.
  const double work = static_cast<double>(body.nodes().size()) *
                      static_cast<double>(body.param_count() + 1) *
                      static_cast<double>(problem_->rows());
  if (work > kMaxPassWork) {
    return Evaluation::failed(fmt::format(
        "the formula is too large to fit to {} rows: it has {} operations and "
        "{} constants",
        problem_->rows(), body.nodes().size(), body.param_count()));
  }
  formula::ExpressionPlan plan(body);
  const formula::Columns columns{.inputs = pointers_, .rows = problem_->rows()};
  formula::FitOptions fit = options_.fit;
  if (dynamic_cast<const FittedSkeleton*>(&skeleton) != nullptr) {
    // The constants are near the optimum: one start and few steps are enough.
    fit.starts = 1;
    fit.iterations = options_.polishing_steps;
    fit.first_rows = 0;
  }
  // Seeded by the skeleton, so that a formula gets the same fit on every
  // island.
  Rng rng = Rng(skeleton.hash()).split("fit");
  const formula::Fit fitted = formula::fit(
      plan, columns, problem_->target, skeleton.constants(), fit, rng, cancel);
  if (cancel.is_cancelled()) return Evaluation::failed(cancel.reason());
  if (!fitted.is_finite()) {
    return Evaluation::failed(
        "the values of the formula are not finite in every row");
  }
  std::vector<double> values(problem_->rows());
  plan.values(columns, fitted.params, values);
  Evaluation evaluation;
  evaluation.constants = fitted.params;
  for (const std::vector<std::size_t>& slice : slices_) {
    const std::vector<double>& weights = problem_->weights;
    double sum = 0;
    for (const std::size_t row : slice) {
      const double error = values[row] - problem_->target[row];
      sum += (weights.empty() ? 1 : weights[row]) * error * error;
    }
    // Weights have a mean of 1, so slices of equal size can be compared.
    const double mean = sum / static_cast<double>(slice.size());
    const double score = mean == 0 ? 0 : -mean / std::max(variance_, 1e-300);
    if (!std::isfinite(score)) {
      return Evaluation::failed(
          "the values of the formula are not finite in every row");
    }
    evaluation.scores.push_back(score);
  }
  return evaluation;
}

}  // namespace lamarck::gp
