#include "lamarck/law/law_polish.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;
using gp::toy_problem;
using Row = std::vector<double>;

Law make_law(const char* text, std::vector<double> params,
             const RegressionProblem& problem) {
  Law law;
  law.formula = formula::parse_infix(text, problem.input_names).value();
  law.params = std::move(params);
  law.params.resize(law.formula.body.param_count());
  law.size = law.formula.body.size();
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  law.id = 42;
  return law;
}

// The most accurate law after polishing; the shortest if several are equal.
Law polished_law(const Law& law, const RegressionProblem& problem) {
  LawFront front;
  for (const Law& better : polish(law, problem)) front.insert(better);
  return front.laws().back();
}

RegressionProblem decay() {
  return toy_problem({.rows = 80, .inputs = 2}, [](const Row& r) {
    return 2.5 * std::exp(-1.3 * r[0]) + 0.75;
  });
}

TEST(LawPolish, FitsConstantsToFullPrecision) {
  const auto problem = decay();
  const Law law = make_law("a*exp(b*x0) + c", {2.4, -1.25, 0.7}, problem);
  const Law better = polished_law(law, problem);
  EXPECT_LT(better.nmse, 1e-28);
  EXPECT_EQ(better.id, 42u);
  EXPECT_EQ(better.size, better.formula.body.size());
  EXPECT_EQ(better.nmse, law_nmse(better.formula.body, better.params, problem));
}

TEST(LawPolish, DropsUnneededParts) {
  const auto problem = decay();
  const Law law = make_law("a*exp(b*x0 + d*x1) + c + f*sin(x1) + g*x0",
                           {2.5, -1.3, 1e-3, 0.75, 1e-3, 1e-3}, problem);
  const Law better = polished_law(law, problem);
  EXPECT_LT(better.nmse, 1e-28);
  EXPECT_EQ(better.params.size(), 3u)
      << formula::to_infix(better.formula, &better.params);
  EXPECT_EQ(better.formula.body.input_count(), 1u);
}

TEST(LawPolish, RoundsConstantsCloseToSimpleNumbers) {
  const auto problem = toy_problem(
      {.rows = 60}, [](const Row& r) { return 3 * std::sin(2 * r[0]) + 1; });
  const Law better = polished_law(
      make_law("a*sin(b*x0) + c", {2.9, 2.00001, 1}, problem), problem);
  ASSERT_EQ(better.params.size(), 3u);
  EXPECT_EQ(better.params[1], 2);
}

TEST(LawPolish, RoundsLastBitsOfConstants) {
  const auto problem = toy_problem({.rows = 60}, [](const Row& r) {
    return 2.25 * r[0] + 7 + 3.14159265358979312 * std::sin(r[0]);
  });
  for (const double off : {-9e-16, -2e-16, 3e-16, 2e-15}) {
    const Law better = polished_law(
        make_law("a*x0 + b + c*sin(x0)",
                 {2.25 * (1 + off), 7 * (1 - off), 3.14159265358979312},
                 problem),
        problem);
    EXPECT_LT(better.nmse, 1e-29);
    EXPECT_EQ(std::ranges::count(better.params, 2.25), 1) << off;
    EXPECT_EQ(std::ranges::count(better.params, 7), 1) << off;
    EXPECT_EQ(std::ranges::count(better.params, 3.14159265359), 0) << off;
  }
}

TEST(LawPolish, NeverIncreasesErrorMuch) {
  Rng noise(3);
  const auto noisy = toy_problem({.rows = 60, .inputs = 2}, [&](const Row& r) {
    return r[0] * r[1] + 0.2 * noise.normal();
  });
  for (const char* text :
       {"a*x0*x1 + b", "a", "a*x0 + b*x1 + c*x0*x1", "a*tanh(b*x0*x1)",
        "x0 ** a * x1", "minimum(a*x0, b*x1)"}) {
    const Law law = make_law(text, {1, 1, 1}, noisy);
    EXPECT_LE(polished_law(law, noisy).nmse, 1.02 * law.nmse) << text;
  }
}

TEST(LawPolish, FitsFormulasWithBranches) {
  const auto problem = toy_problem(
      {.rows = 60}, [](const Row& r) { return r[0] < 1.5 ? 2 * r[0] : 7.0; });
  const Law law = make_law("where(x0 < 1.5, a*x0, b)", {1, 1}, problem);
  const Law better = polished_law(law, problem);
  EXPECT_LT(better.nmse, 1e-28);
  EXPECT_EQ(better.formula.body, law.formula.body);
}

// The error of the given law may be of fewer rows.
TEST(LawPolish, MeasuresErrorOnAllRows) {
  const auto problem = toy_problem(
      {.rows = 60}, [](const Row& r) { return r[0] < 1.5 ? r[0] : 2 * r[0]; });
  Law law = make_law("where(x0 < 1.4, a*x0, b*x0)", {1, 2}, problem);
  law.nmse = 1e-9;
  const Law better = polished_law(law, problem);
  EXPECT_EQ(better.nmse, law_nmse(better.formula.body, better.params, problem));
}

}  // namespace
}  // namespace lamarck::law
