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

Evaluation evaluation_of(const char* text, const RegressionProblem& problem,
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

TEST(RegressionEvaluator, FitsTheConstants) {
  const Evaluation evaluation = evaluation_of("a*x0 + b", line());
  ASSERT_FALSE(evaluation.failure);
  ASSERT_EQ(evaluation.constants.size(), 2u);
  EXPECT_NEAR(evaluation.constants[0], 3, 1e-9);
  EXPECT_NEAR(evaluation.constants[1], 2, 1e-9);
  EXPECT_EQ(evaluation.scores.size(), 4u);
  EXPECT_GT(mean_of(evaluation.scores), -1e-20);
}

TEST(RegressionEvaluator, ScoresTheMeanAsMinusOne) {
  const auto problem =
      toy_problem({.rows = 40}, [](const Row& r) { return 3 * r[0] + 2; });
  const Evaluation evaluation = evaluation_of("a", problem);
  EXPECT_NEAR(mean_of(evaluation.scores), -1, 1e-9);
  // By the size of the target: the ends are farther from the mean.
  EXPECT_LT(evaluation.scores.front(), evaluation.scores[1]);
  EXPECT_LT(evaluation.scores.back(), evaluation.scores[2]);
}

TEST(RegressionEvaluator, GivesTheSameScoresForTheSameFormula) {
  EXPECT_EQ(evaluation_of("a*sin(b*x0)", line()).scores,
            evaluation_of("a*sin(b*x0)", line()).scores);
}

TEST(RegressionEvaluator, BeginsWithTheConstantsOfAFittedFormula) {
  const RegressionEvaluator evaluator(line());
  const auto formula = formula::parse_infix("a*x0 + b", {"x0"}).value();
  const FittedSkeleton fitted(formula, {2.9, 2.1});
  const Evaluation evaluation = evaluator.evaluate(fitted, {});
  ASSERT_FALSE(evaluation.failure);
  EXPECT_GT(mean_of(evaluation.scores), -1e-20);
}

TEST(RegressionEvaluator, SaysWhyItFails) {
  EXPECT_EQ(evaluation_of("log(-x0) + a", line()).failure,
            "Its values are not finite in every row.");
  EXPECT_EQ(evaluation_of("a*x2", line()).failure,
            "It has more inputs than the table.");
  EXPECT_EQ(RegressionEvaluator(line())
                .evaluate(archipelago::ToySkeleton(1), {})
                .failure,
            "It is not a formula.");
  CancelSource source;
  source.cancel("Enough.");
  EXPECT_EQ(evaluation_of("a*x0", line(), source.token()).failure, "Enough.");
}

TEST(RegressionEvaluator, CopesWithFewRowsAndAFlatTarget) {
  const auto few = toy_problem({.rows = 2}, [](const Row& r) { return r[0]; });
  EXPECT_EQ(RegressionEvaluator(few).input_count(), 2u);
  EXPECT_EQ(evaluation_of("a*x0", few).scores.size(), 2u);
  const auto flat = toy_problem({}, [](const Row&) { return 0.25; });
  const Evaluation evaluation = evaluation_of("a", flat);
  ASSERT_FALSE(evaluation.failure) << *evaluation.failure;
  EXPECT_EQ(mean_of(evaluation.scores), 0);
}

}  // namespace
}  // namespace lamarck::gp
