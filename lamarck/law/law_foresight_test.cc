#include "lamarck/law/law_foresight.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/fit.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

using gp::toy_problem;
using Row = std::vector<double>;

gp::RegressionProblem sine_problem() {
  return toy_problem({.rows = 120, .low = -1, .high = 1},
                     [](const Row& r) { return std::sin(2 * r[0]); });
}

struct Errors {
  double nmse = 0;
  double extrapolated = 0;
};

// The errors of a formula whose params are fitted to all rows first.
Errors measure_errors(const char* text, const gp::RegressionProblem& problem) {
  const auto body =
      formula::parse_infix(text, problem.input_names).value().body;
  formula::ExpressionPlan plan(body);
  const auto pointers = problem.input_pointers();
  Rng rng(1);
  const auto fit = formula::fit(
      plan, {.inputs = pointers, .rows = problem.rows()}, problem.target,
      std::vector<double>(body.param_count(), 1.0), {}, rng);
  return {.nmse = law_nmse(body, fit.params, problem),
          .extrapolated = extrapolated_nmse(body, fit.params, problem,
                                            make_extrapolation_folds(problem))};
}

TEST(LawForesight, DistinguishesLawFromItsSeries) {
  const auto problem = sine_problem();
  const Errors law = measure_errors("a * sin(b * x0)", problem);
  const Errors series =
      measure_errors("a*x0 + b*x0**3 + c*x0**5 + d*x0**7", problem);
  EXPECT_LT(law.extrapolated, 1e-20);
  EXPECT_LT(series.nmse, 1e-8);
  EXPECT_GT(series.extrapolated, 20 * series.nmse);
  EXPECT_GT(series.extrapolated, 1e6 * law.extrapolated);
}

TEST(LawForesight, IsInfiniteIfValueIsNotFinite) {
  const auto problem = sine_problem();
  const auto body = formula::parse_infix("log(x0) * a", {"x0"}).value().body;
  EXPECT_TRUE(std::isinf(extrapolated_nmse(body, {1}, problem,
                                           make_extrapolation_folds(problem))));
}

TEST(LawForesight, PredictsOuterRowsFromInnerRows) {
  const auto problem = sine_problem();
  const auto folds = make_extrapolation_folds(problem);
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_EQ(folds[0].fitted.size(), 72u);
  EXPECT_EQ(folds[0].predicted.size(), 48u);
  std::set<std::size_t> all(folds[0].fitted.begin(), folds[0].fitted.end());
  all.insert(folds[0].predicted.begin(), folds[0].predicted.end());
  EXPECT_EQ(all.size(), 120u);
  const auto mean_size = [&](const std::vector<std::size_t>& rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += std::fabs(problem.inputs[0][row]);
    return sum / static_cast<double>(rows.size());
  };
  EXPECT_LT(mean_size(folds[0].fitted), mean_size(folds[0].predicted));
}

TEST(LawForesight, PredictsInnerLevelsOfInputWithFewLevels) {
  auto problem = sine_problem();
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    problem.inputs[0][i] = static_cast<double>(i % 5);
  }
  const auto folds = make_extrapolation_folds(problem);
  ASSERT_EQ(folds.size(), 3u);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    EXPECT_EQ(folds[k].predicted.size(), 24u);
    EXPECT_EQ(folds[k].fitted.size(), 96u);
    for (const std::size_t row : folds[k].predicted) {
      EXPECT_EQ(problem.inputs[0][row], static_cast<double>(k + 1));
    }
  }
}

TEST(LawForesight, LeavesOneOutWithFewRows) {
  const auto line = [](const Row& r) { return r[0]; };
  const auto folds = make_extrapolation_folds(toy_problem({.rows = 8}, line));

  ASSERT_EQ(folds.size(), 8u);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    EXPECT_EQ(folds[i].predicted, std::vector<std::size_t>{i});
    EXPECT_EQ(folds[i].fitted.size(), 7u);
  }
  EXPECT_TRUE(make_extrapolation_folds(toy_problem({.rows = 3}, line)).empty());
}

TEST(LawForesight, UsesAtMostMaxRows) {
  const auto folds = make_extrapolation_folds(sine_problem(), 50);
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_EQ(folds[0].fitted.size() + folds[0].predicted.size(), 50u);
}

}  // namespace
}  // namespace lamarck::law
