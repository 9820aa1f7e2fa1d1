#include "lamarck/gp/gp_engine.h"

#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/regression_evaluator.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using archipelago::FunctionPtr;
using Row = std::vector<double>;
using Names = std::vector<std::string>;

const RegressionProblem& law_problem() {
  static const RegressionProblem problem =
      toy_problem({.rows = 40, .inputs = 2}, [](const Row& r) {
        return 2 * r[0] * std::exp(-0.7 * r[1]) + std::sin(r[0]) + 3;
      });
  return problem;
}

GpOptions small_engine_options() {
  GpOptions options;
  options.library = 100;
  options.screened = 40;
  options.population = 15;
  options.burst = 15;
  options.patience = 60;
  options.max_nodes = 50;
  return options;
}

std::shared_ptr<GpEngine> make_engine(std::size_t islands,
                                      std::uint64_t seed = 7) {
  return std::make_shared<GpEngine>(
      law_problem(), small_engine_options(), islands, seed,
      std::make_shared<RegressionEvaluator>(law_problem()));
}

FunctionPtr evaluated(const char* text, std::string engine = "seed") {
  archipelago::Origin origin;
  origin.engine = std::move(engine);
  auto fn = std::make_shared<archipelago::Function>(
      1,
      std::make_shared<archipelago::FormulaSkeleton>(
          formula::parse_infix(text, law_problem().input_names).value()),
      std::make_shared<RegressionEvaluator>(law_problem()), origin);
  fn->evaluate();
  return fn;
}

// The functions that every island makes in these cycles.
Names made(GpEngine& engine, std::size_t islands, std::uint64_t from,
           std::uint64_t to) {
  const std::vector<FunctionPtr> parents = {evaluated("a")};
  Names names;
  for (std::uint64_t cycle = from; cycle < to; ++cycle) {
    for (std::size_t island = 0; island < islands; ++island) {
      const auto fn =
          engine.mutate(parents, {.island = island,
                                  .cycle = cycle,
                                  .rng = Rng(3).split(cycle).split(island),
                                  .cancel = {}});
      names.push_back(fn ? (*fn)->skeleton()->source() + (*fn)->origin().move
                         : fn.error().message());
    }
    engine.end_cycle(cycle);
  }
  return names;
}

// Every function that a run stores, in order.
Names stored(std::size_t threads) {
  archipelago::EvolverOptions options{
      .num_islands = 3, .num_parallel = threads, .seed = 5, .max_cycles = 8};
  const auto evaluator = std::make_shared<RegressionEvaluator>(law_problem());
  archipelago::EvolverParts parts;
  parts.engine = make_engine(3, 5);
  parts.evaluator = evaluator;
  parts.first = {evaluated("a")->skeleton()};
  archipelago::Evolver evolver(options, std::move(parts));
  Names names;
  evolver.use_cluster_profiler([&](const archipelago::ClusterEvent& event) {
    const auto* added = std::get_if<archipelago::FnAdded>(&event);
    if (added == nullptr) return;
    names.push_back(added->payload->skeleton()->source() +
                    std::to_string(added->payload->score()));
  });
  EXPECT_TRUE(evolver.run());
  return names;
}

TEST(GpEngine, ResultDoesNotDependOnThreadCount) {
  const Names one = stored(1);
  EXPECT_GT(one.size(), 8u);
  EXPECT_EQ(stored(2), one);
  EXPECT_EQ(stored(8), one);
}

// Otherwise a run that finds nothing would exceed its budget of evaluations.
TEST(GpEngine, EveryMutationCostsEvaluationsEvenIfItFails) {
  const auto engine = make_engine(1, 5);
  const std::vector<FunctionPtr> parents = {evaluated("a")};
  int failures = 0;
  for (std::uint64_t cycle = 0; cycle < 60; ++cycle) {
    const auto made = engine->mutate(parents, {.island = 0,
                                               .cycle = cycle,
                                               .rng = Rng(3).split(cycle),
                                               .cancel = {}});
    EXPECT_GT(made.cost().evaluations, 0);
    failures += made ? 0 : 1;
    engine->end_cycle(cycle);
  }
  EXPECT_GT(failures, 0);
}

TEST(GpEngine, RestoredEngineContinuesIdentically) {
  const auto one = make_engine(3);
  made(*one, 3, 0, 8);
  const Json state = parse_json(dump_json(one->state())).value();
  const auto two = make_engine(3);
  const auto restored = two->restore(state);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(two->state(), one->state());
  EXPECT_EQ(made(*one, 3, 8, 18), made(*two, 3, 8, 18));
  EXPECT_EQ(two->state(), one->state());
}

TEST(GpEngine, RestoredEngineContinuesInItsViews) {
  const RegressionProblem problem =
      toy_problem({.rows = 150, .inputs = 3}, [](const Row& r) {
        return r[0] * (std::sin(2 * (r[1] - r[2])) + (r[1] - r[2]));
      });
  GpOptions options = small_engine_options();
  options.trials_before_views = 30;
  const auto evaluator = std::make_shared<RegressionEvaluator>(problem);
  const auto make = [&] {
    return std::make_unique<GpEngine>(problem, options, 2, 7, evaluator);
  };
  const auto parent = std::make_shared<archipelago::Function>(
      1,
      std::make_shared<archipelago::FormulaSkeleton>(
          formula::parse_infix("a", problem.input_names).value()),
      evaluator, archipelago::Origin{});
  parent->evaluate();
  const std::vector<FunctionPtr> parents = {parent};
  const auto run = [&](GpEngine& engine, std::uint64_t from, std::uint64_t to) {
    Names names;
    for (std::uint64_t cycle = from; cycle < to; ++cycle) {
      for (std::size_t island = 0; island < 2; ++island) {
        const auto fn = engine.mutate(parents, {.island = island,
                                                .cycle = cycle,
                                                .rng = Rng(3).split(cycle),
                                                .cancel = {}});
        if (fn) names.push_back((*fn)->skeleton()->source());
      }
      engine.end_cycle(cycle);
    }
    return names;
  };
  const auto one = make();
  run(*one, 0, 6);
  const Json state = parse_json(dump_json(one->state())).value();
  EXPECT_GT(state["scenes"].size(), 1U);
  const auto two = make();
  const auto restored = two->restore(state);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(run(*one, 6, 16), run(*two, 6, 16));
  EXPECT_EQ(two->state(), one->state());
}

TEST(GpEngine, RejectsDamagedState) {
  const auto engine = make_engine(2);
  made(*engine, 2, 0, 2);
  const Json good = engine->state();
  for (const auto& [name, value] : good.items()) {
    Json bad = good;
    bad.erase(name);
    // States of earlier versions count no searches of views.
    EXPECT_EQ(make_engine(2)->restore(bad).has_value(), name == "view_searches")
        << name;
    bad[name] = "text";
    EXPECT_FALSE(make_engine(2)->restore(bad)) << name;
  }
  for (const auto& [name, value] : good["islands"][0].items()) {
    Json bad = good;
    bad["islands"][0][name] = "text";
    EXPECT_FALSE(make_engine(2)->restore(bad)) << name;
  }
  const auto other = make_engine(3)->restore(good);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message(),
            "The state of the genetic engine must have 3 islands, got 2.");
}

TEST(GpEngine, ReturnsFormulasWithFittedConstants) {
  const auto engine = make_engine(1);
  const std::vector<FunctionPtr> parents = {evaluated("a")};
  const RegressionEvaluator evaluator(law_problem());
  int found = 0;
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) {
    const auto fn = engine->mutate(
        parents,
        {.island = 0, .cycle = cycle, .rng = Rng(cycle), .cancel = {}});
    if (!fn) {
      EXPECT_EQ(fn.cost().evaluations, 15);
      continue;
    }
    ++found;
    const archipelago::Skeleton& skeleton = *(*fn)->skeleton();
    EXPECT_NE(dynamic_cast<const FittedSkeleton*>(&skeleton), nullptr);
    EXPECT_EQ((*fn)->origin().engine, "gp");
    EXPECT_EQ((*fn)->origin().parents, (std::vector<std::uint64_t>{1}));
    EXPECT_GT((*fn)->origin().cost.evaluations, 0);
    EXPECT_FALSE(evaluator.evaluate(skeleton, {}).failure) << skeleton.source();
  }
  EXPECT_GT(found, 2);
}

TEST(GpEngine, ImprovesFunctionsOfOtherEngines) {
  const auto engine = make_engine(1);
  const auto fn =
      engine->mutate({evaluated("a*x0*exp(-b*x1) + sin(x0) + c", "llm")},
                     {.island = 0, .cycle = 0, .rng = Rng(1), .cancel = {}});
  ASSERT_TRUE(fn) << fn.error().message();
  (*fn)->evaluate();
  EXPECT_GT((*fn)->score(), -1e-15) << (*fn)->skeleton()->source();
}

TEST(GpSkeleton, EvaluatesLikeModel) {
  GpModel model;
  model.terms = {gp_apply(formula::Op::Mul, gp_input(0), gp_constant(4)),
                 gp_input(1)};
  model.coefficients = {0.5, 3};
  model.intercept = -1;
  const auto skeleton = gp_skeleton(model, law_problem());
  const auto values = skeleton->call(std::vector<Row>{{2}, {5}}).value();
  EXPECT_EQ(values, Row{18});
  const auto flat = gp_skeleton(GpModel{}, law_problem());
  EXPECT_EQ(flat->call(std::vector<Row>{{2}, {5}}).value(), Row{0});
}

}  // namespace
}  // namespace lamarck::gp
