#include "lamarck/archipelago/mix_engine.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

class NamedEngine : public ToyEngine {
 public:
  NamedEngine(std::string name, std::int64_t step, MutationCost cost)
      : ToyEngine([=](const auto& parents, const MutationContext& context) {
          Rng rng = context.rng;
          return std::make_shared<Function>(
              0,
              std::make_shared<ToySkeleton>(
                  toy_number(*parents.back()) +
                  rng.integer(step > 0 ? 1 : -30, step > 0 ? step : -1)),
              std::make_shared<ToyEvaluator>(), Origin{.cost = cost});
        }),
        name_(std::move(name)) {}

  std::string_view name() const override { return name_; }

 private:
  std::string name_;
};

class RefusedEngine : public ToyEngine {
 public:
  RefusedEngine()
      : ToyEngine([](const auto& /*parents*/,
                     const auto& /*context*/) -> Result<FunctionPtr> {
          return Error(ErrorCode::Unauthenticated, "The key is refused.");
        }) {}
  std::string_view name() const override { return "refused"; }
};

std::shared_ptr<MixEngine> make_mix(std::int64_t first, MutationCost first_cost,
                                    std::int64_t second,
                                    MutationCost second_cost) {
  return std::make_shared<MixEngine>(
      std::vector<std::shared_ptr<MutationEngine>>{
          std::make_shared<NamedEngine>("first", first, first_cost),
          std::make_shared<NamedEngine>("second", second, second_cost)});
}

EvolverParts parts_with(std::shared_ptr<MutationEngine> engine) {
  EvolverParts parts = toy_parts();
  parts.engine = std::move(engine);
  return parts;
}

TEST(MixEngine, PrefersImprovingEngine) {
  const auto mix = make_mix(5, {}, -5, {});
  Evolver evolver({.num_islands = 3, .max_cycles = 60}, parts_with(mix));

  ASSERT_TRUE(evolver.run());

  EXPECT_GT(mix->bandit().tries(0), 2 * mix->bandit().tries(1));
  EXPECT_GT(mix->bandit().tries(1), 0U);
}

TEST(MixEngine, PrefersCheaperOfEqualEngines) {
  const auto mix = make_mix(3, {.tokens_in = 1000}, 3, {});
  Evolver evolver({.num_islands = 3, .max_cycles = 60}, parts_with(mix));

  ASSERT_TRUE(evolver.run());

  EXPECT_GT(mix->bandit().tries(1), 3 * mix->bandit().tries(0));
}

TEST(MixEngine, ResultDoesNotDependOnThreadCount) {
  Json expected;
  for (const std::size_t threads : {1, 2, 8}) {
    const auto mix = make_mix(4, {.evaluations = 3}, 8, {.tokens_in = 50});
    Evolver evolver({.num_islands = 5,
                     .num_parallel = threads,
                     .reset_period = {.evaluations = 40},
                     .max_cycles = 40},
                    parts_with(mix));
    ASSERT_TRUE(evolver.run());
    if (threads == 1) expected = mix->state();
    EXPECT_EQ(mix->state(), expected) << threads << " threads";
  }
}

TEST(MixEngine, RetiresEngineWithFinalError) {
  const auto mix =
      std::make_shared<MixEngine>(std::vector<std::shared_ptr<MutationEngine>>{
          std::make_shared<RefusedEngine>(), std::make_shared<ToyEngine>()});
  Evolver evolver({.num_islands = 2, .max_cycles = 20}, parts_with(mix));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_TRUE(mix->bandit().is_retired(0));
  EXPECT_EQ(outcome->counts.errors, 1);
}

TEST(MixEngine, NeverRetiresLastEngine) {
  const auto mix =
      std::make_shared<MixEngine>(std::vector<std::shared_ptr<MutationEngine>>{
          std::make_shared<RefusedEngine>()});
  Evolver evolver({.num_islands = 2, .max_cycles = 20}, parts_with(mix));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Errors);
  EXPECT_EQ(outcome->reason, "The key is refused.");
}

TEST(MixEngine, OriginNamesInnerEngine) {
  const auto mix = make_mix(5, {}, 7, {});
  Evolver evolver({.num_islands = 2, .max_cycles = 10}, parts_with(mix));
  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  const std::string& engine = outcome->best->origin().engine;
  EXPECT_TRUE(engine == "first" || engine == "second") << engine;
}

TEST(MixEngine, RestoresSavedState) {
  const auto mix = make_mix(5, {}, -5, {});
  Evolver evolver({.num_islands = 3, .max_cycles = 20}, parts_with(mix));
  ASSERT_TRUE(evolver.run());

  const auto again = make_mix(5, {}, -5, {});
  const auto restored = again->restore(mix->state());

  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(again->state(), mix->state());
}

TEST(MixEngine, RejectsStateOfOtherEngines) {
  const auto mix = make_mix(5, {}, -5, {});
  MixEngine other({std::make_shared<ToyEngine>()});
  MixEngine exchanged(
      {std::make_shared<ToyEngine>(), std::make_shared<ToyEngine>()});

  EXPECT_FALSE(other.restore(mix->state()));
  EXPECT_FALSE(exchanged.restore(mix->state()));
  EXPECT_FALSE(other.restore(Json::object()));
}

// Ends after its first cycle.
class EndingEngine : public NamedEngine {
 public:
  EndingEngine() : NamedEngine("ending", 5, {}) {}
  void end_cycle(std::uint64_t /*cycle*/) override { has_ended_ = true; }
  std::optional<EngineEnding> ending() const override {
    if (!has_ended_) return std::nullopt;
    return EngineEnding{EngineEnding::Kind::NothingNew,
                        "It has no more ideas."};
  }

 private:
  bool has_ended_ = false;
};

TEST(MixEngine, RetiresEngineThatEndedAndSaysWhy) {
  const auto mix =
      std::make_shared<MixEngine>(std::vector<std::shared_ptr<MutationEngine>>{
          std::make_shared<EndingEngine>(), std::make_shared<ToyEngine>()});
  Evolver evolver({.num_islands = 2, .max_cycles = 20}, parts_with(mix));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_TRUE(mix->bandit().is_retired(0));
  EXPECT_NE(outcome->reason.find("It has no more ideas."), std::string::npos)
      << outcome->reason;
  EXPECT_FALSE(mix->ending());
}

TEST(MixEngine, RunEndsWithItsLastEngine) {
  const auto mix =
      std::make_shared<MixEngine>(std::vector<std::shared_ptr<MutationEngine>>{
          std::make_shared<EndingEngine>()});
  Evolver evolver({.num_islands = 2, .max_cycles = 20}, parts_with(mix));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Duplicates);
  EXPECT_EQ(outcome->reason, "It has no more ideas.");
}

}  // namespace
}  // namespace lamarck::archipelago
