// Longer searches with the default options.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"
#include "lamarck/law/law_search.h"

namespace lamarck::law {
namespace {

using gp::toy_problem;
using Row = std::vector<double>;

LawSearchOptions usual_run(std::int64_t evaluations, std::uint64_t seed) {
  LawSearchOptions options;
  options.evolver.num_islands = 4;
  options.evolver.seed = seed;
  options.evolver.reset_period = {.evaluations = {}, .time = {}};
  options.evolver.budget.evaluations = evaluations;
  return options;
}

std::string best_of(const LawSearchResult& result) {
  const Law& law = result.front.at(result.best);
  return formula::to_infix(law.formula, &law.params, 17);
}

TEST(LawSearchSlow, FindsSumOfSquareAndSineForEverySeed) {
  const auto problem = toy_problem(
      {.rows = 200, .low = -2, .high = 3},
      [](const Row& r) { return 2 * r[0] * r[0] + 3 * std::sin(r[0]); });
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto result = find_laws(problem, usual_run(20'000, seed)).value();
    EXPECT_LT(result.front.at(result.best).nmse, 1e-25)
        << "seed " << seed << ": " << best_of(result);
    EXPECT_LE(result.front.at(result.best).size, 10u)
        << "seed " << seed << ": " << best_of(result);
  }
}

// The example of the README.
gp::RegressionProblem planets() {
  gp::RegressionProblem problem;
  problem.input_names = {"axis"};
  problem.target_name = "period";
  problem.inputs = {{0.387098, 0.723332, 1.000001, 1.523679, 5.204267, 9.582017,
                     19.229411, 30.103658}};
  problem.target = {0.240846,  0.615198,  1.000017,  1.880848,
                    11.862615, 29.447498, 84.016846, 164.79132};
  return problem;
}

std::string found_for_planets(std::int64_t evaluations, std::uint64_t seed) {
  const auto problem = planets();
  LawSearchOptions options = usual_run(evaluations, seed);
  options.evolver.num_islands = 10;
  const auto result = find_laws(problem, options).value();
  const Law& law = result.front.at(result.best);
  return formula::to_infix(law.formula, &law.params, 6);
}

TEST(LawSearchSlow, FindsKeplersLawForTenSeeds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(found_for_planets(20'000, seed), "axis**1.5") << "seed " << seed;
  }
}

TEST(LawSearchSlow, KeepsKeplersLawWithALargerBudget) {
  for (const std::int64_t evaluations : {2'000, 10'000, 50'000, 200'000}) {
    EXPECT_EQ(found_for_planets(evaluations, 1), "axis**1.5") << evaluations;
  }
}

// Nine inputs, found in a view with fewer.
TEST(LawSearchSlow, FindsTheLawOfGravitation) {
  const auto square = [](double a) { return a * a; };
  auto problem = toy_problem(
      {.rows = 1500, .inputs = 9, .low = 1, .high = 2}, [&](const Row& r) {
        return r[0] * r[1] * r[2] /
               (square(r[3] + 2 - r[4]) + square(r[5] + 2 - r[6]) +
                square(r[7] + 2 - r[8]));
      });
  for (const std::size_t place : {3, 5, 7}) {
    for (double& x : problem.inputs[place]) x += 2;
  }
  LawSearchOptions options = usual_run(60'000, 5);
  options.evolver.num_islands = 10;
  const auto result = find_laws(problem, options).value();
  EXPECT_TRUE(result.front.at(result.best).is_exact()) << best_of(result);
}

// Resonance: the amplitude has a pole beyond the rows.
TEST(LawSearchSlow, FindsALawWithAPoleBeyondTheRows) {
  auto problem = toy_problem(
      {.rows = 1000, .inputs = 4, .low = 1, .high = 2}, [](const Row& r) {
        const double ratio = r[2] / (r[3] + 2);
        const double share = ratio * ratio / (1 - ratio * ratio);
        return r[0] * r[1] * r[1] * share * share;
      });
  for (double& x : problem.inputs[3]) x += 2;
  LawSearchOptions options = usual_run(100'000, 5);
  options.evolver.num_islands = 10;
  const auto result = find_laws(problem, options).value();
  EXPECT_TRUE(result.front.at(result.best).is_exact()) << best_of(result);
}

TEST(LawSearchSlow, ResultDoesNotDependOnThreadCount) {
  const auto problem =
      toy_problem({.rows = 100, .inputs = 2}, [](const Row& r) {
        return r[0] * std::exp(-0.5 * r[1]) + std::tanh(r[0] * r[1]);
      });
  std::string first;
  for (const std::size_t threads : {1, 2, 4}) {
    auto options = usual_run(6'000, 3);
    options.evolver.num_parallel = threads;
    const auto result = find_laws(problem, options).value();
    if (first.empty()) first = best_of(result);
    EXPECT_EQ(best_of(result), first) << threads << " threads";
  }
}

TEST(LawSearchSlow, RecommendsShortLawForNoisyData) {
  Rng noise(4);
  const auto problem = toy_problem({.rows = 200}, [&](const Row& r) {
    return 2 * r[0] + 1 + 0.1 * noise.normal();
  });
  const auto result = find_laws(problem, usual_run(10'000, 1)).value();
  EXPECT_LE(result.front.at(result.best).size, 8u) << best_of(result);
}

}  // namespace
}  // namespace lamarck::law
