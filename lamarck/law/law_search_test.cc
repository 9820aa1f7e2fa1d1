#include "lamarck/law/law_search.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;
using gp::toy_problem;
using Row = std::vector<double>;

RegressionProblem wave(std::size_t rows = 50) {
  return toy_problem({.rows = rows, .low = -2, .high = 3}, [](const Row& r) {
    return 2 * r[0] * r[0] + 3 * std::sin(r[0]);
  });
}

LawSearchOptions small_run(std::int64_t evaluations, std::size_t threads = 2) {
  LawSearchOptions options;
  options.gp.library = 150;
  options.gp.screened = 60;
  options.gp.population = 20;
  options.gp.max_nodes = 24;
  options.gp.burst = 20;
  options.evolver.num_islands = 3;
  options.evolver.num_parallel = threads;
  options.evolver.seed = 2;
  options.evolver.reset_period = {.evaluations = {}, .time = {}};
  options.evolver.budget.evaluations = evaluations;
  return options;
}

// The front as text, with every digit.
std::string text_of(const LawSearchResult& result) {
  std::string text = std::to_string(result.best) + "\n";
  for (const Law& law : result.front) {
    text += formula::to_infix(law.formula, &law.params, 17) + "\n";
  }
  return text;
}

// Speeds from energies and masses, with 2 % of noise.
RegressionProblem speeds() {
  Rng noise(3);
  auto problem = toy_problem({.rows = 80, .inputs = 3}, [&](const Row& r) {
    return std::sqrt(2 * r[0] / r[1]) * (1 + 0.02 * noise.normal());
  });
  const auto unit = [](const char* text) {
    return formula::parse_unit(text).value();
  };
  problem.dimensions =
      formula::Dimensions({unit("J"), unit("kg"), unit("kg")}, unit("m/s"));
  return problem;
}

void expect_sound(const LawSearchResult& result,
                  const RegressionProblem& problem) {
  ASSERT_FALSE(result.front.empty());
  ASSERT_LT(result.best, result.front.size());
  for (const Law& law : result.front) {
    EXPECT_EQ(law.size, law.formula.body.size());
    EXPECT_TRUE(std::isfinite(law.nmse));
    EXPECT_EQ(law.formula.inputs, problem.input_names);
    EXPECT_EQ(law.nmse, law_nmse(law.formula.body, law.params, problem));
  }
  EXPECT_FALSE(result.reason.empty());
}

TEST(LawSearch, FindsSumOfSquareAndSine) {
  const auto problem = wave();
  const auto result = find_laws(problem, small_run(3'000)).value();
  expect_sound(result, problem);
  const Law& law = result.front[result.best];
  EXPECT_LT(law.nmse, 1e-25) << text_of(result);
  EXPECT_LE(law.size, 10u) << text_of(result);
  ASSERT_FALSE(result.lineage.empty());
  EXPECT_EQ(result.lineage.back().id, law.id);
}

TEST(LawSearch, ResultDoesNotDependOnThreadCount) {
  const auto problem = wave(40);
  const std::string one =
      text_of(find_laws(problem, small_run(600, 1)).value());
  EXPECT_EQ(text_of(find_laws(problem, small_run(600, 2)).value()), one);
  EXPECT_EQ(text_of(find_laws(problem, small_run(600, 4)).value()), one);
}

TEST(LawSearch, FindsConstant) {
  const auto problem =
      toy_problem({.rows = 40, .inputs = 2}, [](const Row&) { return 0.1; });
  const auto result = find_laws(problem, small_run(300)).value();
  ASSERT_FALSE(result.front.empty());
  const Law& law = result.front[result.best];
  EXPECT_EQ(law.size, 1u) << text_of(result);
  EXPECT_EQ(to_infix(law.formula, &law.params, 17), "0.1");
}

TEST(LawSearch, HandlesThreeRows) {
  const auto problem =
      toy_problem({.rows = 3}, [](const Row& r) { return 2 * r[0] + 1; });
  expect_sound(find_laws(problem, small_run(300)).value(), problem);
}

TEST(LawSearch, DoesNotOverfitEightRows) {
  RegressionProblem planets;
  planets.input_names = {"axis"};
  planets.target_name = "period";
  planets.inputs = {{0.387098, 0.723332, 1.000001, 1.523679, 5.204267, 9.582017,
                     19.229411, 30.103658}};
  planets.target = {0.240846,  0.615198,  1.000017,  1.880848,
                    11.862615, 29.447498, 84.016846, 164.79132};

  const auto result = find_laws(planets, small_run(3000)).value();

  const Law& law = result.front[result.best];
  EXPECT_EQ(to_infix(law.formula, &law.params), "axis**1.5");
}

TEST(LawSearch, HandlesConstantInputs) {
  auto problem = wave(40);
  problem.inputs[0].assign(40, 1.5);
  auto options = small_run(100);
  options.gp.library = 20;
  expect_sound(find_laws(problem, options).value(), problem);
}

TEST(LawSearch, HandlesHugeOutlier) {
  auto problem = wave(40);
  problem.target[7] = 1e12;
  expect_sound(find_laws(problem, small_run(300)).value(), problem);
}

TEST(LawSearch, ReturnsBestSoFarWhenCancelled) {
  const auto problem = wave();
  CancelSource source;
  int cycles = 0;
  const auto result = find_laws(
      problem, small_run(1'000'000),
      [&](const LawProgress& progress) {
        EXPECT_EQ(progress.island_nmse.size(), 3u);
        EXPECT_GT(progress.best_size, 0u);
        if (++cycles == 5) source.cancel("Enough.");
      },
      source.token());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->end, archipelago::EvolverEnd::Cancelled);
  expect_sound(*result, problem);
}

TEST(LawSearch, StartsFromGivenEquations) {
  const auto problem = wave();
  auto options = small_run(40);
  options.seeds = {formula::parse_infix("a*x0**2 + b*sin(x0)", {"x0"}).value()};
  const auto result = find_laws(problem, options).value();
  const Law& law = result.front[result.best];
  EXPECT_LT(law.nmse, 1e-25) << text_of(result);
  EXPECT_EQ(result.lineage.front().engine, "seed");
}

TEST(LawSearch, LlmEnginesNeedModel) {
  for (const LawEngine engine : {LawEngine::Llm, LawEngine::Mix}) {
    auto options = small_run(10);
    options.engine = engine;
    const auto result = find_laws(wave(), options);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("the engine gp"),
              std::string::npos);
  }
}

TEST(LawSearch, FindsOnlyConsistentLawsIfUnitsAreKnown) {
  const RegressionProblem problem = speeds();
  const auto result = find_laws(problem, small_run(3000)).value();
  expect_sound(result, problem);
  for (const Law& law : result.front) {
    EXPECT_TRUE(problem.allows(law.formula.body, law.params))
        << formula::to_infix(law.formula, &law.params);
  }
  EXPECT_LT(result.front.at(result.best).nmse, 0.01);
}

TEST(LawSearch, WeightsDecideBetweenContradictingRows) {
  // The first half follows one law, the second half another.
  auto problem =
      toy_problem({.rows = 80}, [](const Row& r) { return r[0] * r[0] + 1; });
  std::vector<double> weights(80, 1);
  for (std::size_t row = 40; row < 80; ++row) {
    problem.target[row] = 5 / problem.inputs[0][row];
    weights[row] = 1e-12;
  }
  const auto first = gp::with_weights(problem, weights);
  for (double& weight : weights) weight = 1e-12 / weight;
  const auto second = gp::with_weights(problem, weights);

  const auto square = find_laws(first, small_run(2'000)).value();
  const auto inverse = find_laws(second, small_run(2'000)).value();

  const auto value_at_2 = [](const LawSearchResult& result) {
    const Law& law = result.front[result.best];
    return formula::evaluate_row(law.formula.body, std::vector{2.0},
                                 law.params);
  };
  expect_sound(square, first);
  EXPECT_NEAR(value_at_2(square), 5, 1e-3) << text_of(square);
  EXPECT_NEAR(value_at_2(inverse), 2.5, 1e-3) << text_of(inverse);
}

TEST(LawSearch, StartsWithKnownLaws) {
  const auto problem = wave();
  LawSearchOptions options = small_run(3'000);
  const auto found = find_laws(problem, options).value();
  options.evolver.budget.evaluations = 1;
  const auto without = find_laws(problem, options).value();

  options.known = found.front;
  const auto with = find_laws(problem, options).value();

  EXPECT_LT(with.front.back().nmse, 1e-25) << text_of(with);
  EXPECT_GT(without.front.back().nmse, 1e-6) << text_of(without);
}

}  // namespace
}  // namespace lamarck::law
