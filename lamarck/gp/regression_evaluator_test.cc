#include "lamarck/gp/regression_evaluator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using archipelago::Evaluation;
using Row = std::vector<double>;

const RegressionProblem& line() {
  static const RegressionProblem problem =
      toy_problem({.rows = 42}, [](const Row& r) { return 3 * r[0] + 2; });
  return problem;
}

Evaluation evaluate_formula(const char* text, const RegressionProblem& problem,
                            const CancelToken& cancel = {}) {
  const RegressionEvaluator evaluator(problem);
  return evaluator.evaluate(
      archipelago::FormulaSkeleton(
          formula::parse_infix(text, {"x0", "x1", "x2"}).value()),
      cancel);
}

double mean_of(const std::vector<double>& scores) {
  return std::accumulate(scores.begin(), scores.end(), 0.0) /
         static_cast<double>(scores.size());
}

TEST(RegressionEvaluator, FitsConstants) {
  const Evaluation evaluation = evaluate_formula("a*x0 + b", line());
  ASSERT_FALSE(evaluation.failure);
  ASSERT_EQ(evaluation.constants.size(), 2u);
  EXPECT_NEAR(evaluation.constants[0], 3, 1e-9);
  EXPECT_NEAR(evaluation.constants[1], 2, 1e-9);
  EXPECT_EQ(evaluation.scores.size(), 4u);
  EXPECT_GT(mean_of(evaluation.scores), -1e-20);
}

TEST(RegressionEvaluator, MeanPredictorScoresMinusOne) {
  const auto problem =
      toy_problem({.rows = 40}, [](const Row& r) { return 3 * r[0] + 2; });
  const Evaluation evaluation = evaluate_formula("a", problem);
  EXPECT_NEAR(mean_of(evaluation.scores), -1, 1e-9);
  // The slices are sorted by the target, so the first and last are farthest
  // from the mean.
  EXPECT_LT(evaluation.scores.front(), evaluation.scores[1]);
  EXPECT_LT(evaluation.scores.back(), evaluation.scores[2]);
}

TEST(RegressionEvaluator, IsDeterministic) {
  EXPECT_EQ(evaluate_formula("a*sin(b*x0)", line()).scores,
            evaluate_formula("a*sin(b*x0)", line()).scores);
}

TEST(RegressionEvaluator, StartsFromConstantsOfFittedFormula) {
  const RegressionEvaluator evaluator(line());
  const auto formula = formula::parse_infix("a*x0 + b", {"x0"}).value();
  const FittedSkeleton fitted(formula, {2.9, 2.1});
  const Evaluation evaluation = evaluator.evaluate(fitted, {});
  ASSERT_FALSE(evaluation.failure);
  EXPECT_GT(mean_of(evaluation.scores), -1e-20);
}

TEST(RegressionEvaluator, ReportsReasonOfFailure) {
  EXPECT_EQ(evaluate_formula("log(-x0) + a", line()).failure,
            "the values of the formula are not finite in every row");
  EXPECT_EQ(evaluate_formula("a*x2", line()).failure,
            "the formula has 3 inputs, but the table has only 1");
  EXPECT_EQ(RegressionEvaluator(line())
                .evaluate(archipelago::ToySkeleton(1), {})
                .failure,
            "the function is not a formula");
  CancelSource source;
  source.cancel("Enough.");
  EXPECT_EQ(evaluate_formula("a*x0", line(), source.token()).failure,
            "Enough.");
}

TEST(RegressionEvaluator, HandlesFewRowsAndConstantTarget) {
  const auto few = toy_problem({.rows = 2}, [](const Row& r) { return r[0]; });
  EXPECT_EQ(RegressionEvaluator(few).input_count(), 2u);
  EXPECT_EQ(evaluate_formula("a*x0", few).scores.size(), 2u);
  const auto flat = toy_problem({}, [](const Row&) { return 0.25; });
  const Evaluation evaluation = evaluate_formula("a", flat);
  ASSERT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(mean_of(evaluation.scores), 0);
}

TEST(RegressionEvaluator, WeightsDecideBetweenContradictingRows) {
  auto problem =
      toy_problem({.rows = 40}, [](const Row& r) { return 3 * r[0] + 2; });
  std::vector<double> weights(40, 1);
  for (std::size_t row = 0; row < 40; row += 2) {
    problem.target[row] = -problem.target[row];
    weights[row] = 1e-9;
  }
  const auto weighted = with_weights(problem, weights);

  const Evaluation evaluation = evaluate_formula("a*x0 + b", weighted);

  ASSERT_EQ(evaluation.constants.size(), 2u);
  EXPECT_NEAR(evaluation.constants[0], 3, 1e-6);
  EXPECT_NEAR(evaluation.constants[1], 2, 1e-6);
  EXPECT_GT(mean_of(evaluation.scores), -1e-6);
  EXPECT_LT(mean_of(evaluate_formula("a*x0 + b", problem).scores), -0.5);
}

}  // namespace
}  // namespace lamarck::gp
