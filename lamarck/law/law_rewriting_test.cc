#include "lamarck/law/law_rewriting.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;
using gp::toy_problem;
using Row = std::vector<double>;

Law make_exact_law(const char* text, const RegressionProblem& problem) {
  Law law;
  law.formula = formula::parse_infix(text, problem.input_names).value();
  law.size = law.formula.body.size();
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  return law;
}

std::string text_of(const Law& law) {
  return formula::to_infix(law.formula, &law.params);
}

TEST(LawRewriting, RecognizesConstantsOfExactLaw) {
  const auto problem = toy_problem(
      {.rows = 60, .inputs = 2, .low = 1, .high = 3},
      [](const Row& r) { return r[0] / (4 * std::acos(-1.0) * r[1]); });

  const Law law = rewritten(
      make_exact_law("0.10251842464171311*(x0/(1.2882845188480192*x1))",
                     problem),
      problem);

  EXPECT_EQ(text_of(law), "x0/(4*pi*x1)");
  EXPECT_TRUE(law.is_exact());
  EXPECT_TRUE(law.params.empty());
  EXPECT_EQ(law.size, law.formula.body.size());
  ASSERT_EQ(law.recognized.size(), 1u);
  EXPECT_EQ(law.recognized[0].text, "1/(4*pi)");
  EXPECT_NEAR(law.recognized[0].fitted, 0.0795774715459477, 1e-12);
}

TEST(LawRewriting, KeepsConstantsThatOnlyLookSimple) {
  // 1.0000002 is not 1: the law would not stay exact.
  const auto problem =
      toy_problem({.rows = 60, .inputs = 1, .low = 1, .high = 3},
                  [](const Row& r) { return 1.0000002 * r[0]; });

  const Law law = rewritten(make_exact_law("1.0000002*x0", problem), problem);

  EXPECT_LT(law.nmse, 1e-28);
  EXPECT_NE(text_of(law), "x0");
}

TEST(LawRewriting, ErrorNeverGrows) {
  Rng rng(3);
  const auto problem = toy_problem(
      {.rows = 60, .inputs = 2, .low = -2, .high = 2},
      [&](const Row& r) { return r[0] * r[1] + 0.1 * rng.normal(); });
  for (const char* text :
       {"1*(x0*x1)", "abs(x0)*x1*x0/abs(x0)", "sqrt(x0**2)*x1",
        "(x0 + x1)**2 - x0**2 - x1**2 - x0*x1", "exp(log(abs(x0)))*x1"}) {
    const Law before = make_exact_law(text, problem);
    const Law after = rewritten(before, problem);
    EXPECT_LE(after.nmse, before.nmse * (1 + 1e-9)) << text;
    EXPECT_LE(after.size, before.size) << text;
  }
}

TEST(LawRewriting, DeviationsCoverTrueConstants) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const auto problem =
        toy_problem({.rows = 100, .inputs = 1, .low = 0, .high = 2},
                    [&](const Row& r) { return 2 * r[0] + rng.normal(); });
    // The slope that fits best, in closed form.
    double above = 0;
    double below = 0;
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      above += problem.inputs[0][i] * problem.target[i];
      below += problem.inputs[0][i] * problem.inputs[0][i];
    }
    Law law = make_exact_law("x0", problem);
    law.formula = formula::parse_infix("a*x0", problem.input_names).value();
    law.params = {above / below};
    law.nmse = law_nmse(law.formula.body, law.params, problem);
    set_deviations(law, problem);
    ASSERT_EQ(law.deviations.size(), 1u);
    // The noise has a deviation of 1.
    EXPECT_NEAR(law.deviations[0], 1 / std::sqrt(below), 0.3 / std::sqrt(below))
        << "seed " << seed;
    covered += std::fabs(law.params[0] - 2) < 2 * law.deviations[0] ? 1 : 0;
  }
  EXPECT_GE(covered, 16);
}

TEST(LawRewriting, ExactLawHasNoDeviations) {
  const auto problem =
      toy_problem({.rows = 20, .inputs = 1, .low = 1, .high = 3},
                  [](const Row& r) { return 1.234567 * r[0]; });
  Law law = make_exact_law("x0", problem);
  law.formula = formula::parse_infix("a*x0", problem.input_names).value();
  law.params = {1.234567};
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  set_deviations(law, problem);
  EXPECT_TRUE(law.deviations.empty());
}

}  // namespace
}  // namespace lamarck::law
