#include "lamarck/law/law_simple_constants.h"

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

Law make_fitted_law(const char* text, std::vector<double> params,
                    const RegressionProblem& problem) {
  Law law;
  law.formula = formula::parse_infix(text, problem.input_names).value();
  law.params = std::move(params);
  law.size = law.formula.body.size();
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  return law;
}

TEST(LawSimpleConstants, RoundsConstantsWithinNoise) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    const auto problem = toy_problem(
        {.rows = 100, .inputs = 2, .seed = seed}, [&](const Row& r) {
          return r[0] * r[1] * r[1] * (1 + 0.01 * rng.normal());
        });
    const auto laws = with_simple_constants(
        make_fitted_law("a*x0*x1**b", {1.003, 1.998}, problem), problem);
    ASSERT_FALSE(laws.empty()) << "seed " << seed;
    EXPECT_EQ(formula::to_infix(laws.back().formula, &laws.back().params),
              "x0*x1**2")
        << "seed " << seed;
  }
}

TEST(LawSimpleConstants, KeepsConstantsThatDifferByMoreThanNoise) {
  Rng rng(1);
  const auto problem = toy_problem(
      {.rows = 100, .inputs = 1},
      [&](const Row& r) { return 1.02 * r[0] + 0.001 * rng.normal(); });
  EXPECT_TRUE(
      with_simple_constants(make_fitted_law("a*x0", {1.02}, problem), problem)
          .empty());
}

TEST(LawSimpleConstants, FindsKeplerFromEightPlanets) {
  RegressionProblem problem;
  problem.input_names = {"axis"};
  problem.target_name = "period";
  problem.inputs = {{0.387098, 0.723332, 1.000001, 1.523679, 5.204267, 9.582017,
                     19.229411, 30.103658}};
  problem.target = {0.240846,  0.615198,  1.000017,  1.880848,
                    11.862615, 29.447498, 84.016846, 164.79132};
  const auto laws = with_simple_constants(
      make_fitted_law("a*axis**b", {0.988024, 1.50286}, problem), problem);
  ASSERT_FALSE(laws.empty());
  EXPECT_EQ(formula::to_infix(laws.back().formula, &laws.back().params),
            "axis**1.5");
}

}  // namespace
}  // namespace lamarck::law
