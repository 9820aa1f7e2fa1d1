#include "lamarck/archipelago/evolver_memory.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

TEST(EvolverMemory, CountsEvaluationsOfSkeleton) {
  EvolverMemory memory(10);
  EXPECT_EQ(memory.find(5), nullptr);

  memory.remember(*toy_function(5));
  memory.remember(*toy_function(5));

  ASSERT_NE(memory.find(5), nullptr);
  EXPECT_EQ(memory.find(5)->times, 2U);
}

TEST(EvolverMemory, DropsOldestEntriesWhenFull) {
  EvolverMemory memory(3);

  for (std::int64_t i = 0; i < 100; ++i) memory.remember(*toy_function(i));

  EXPECT_LE(memory.size(), 6U);
  EXPECT_EQ(memory.find(50), nullptr);
  for (const std::uint64_t recent : {97, 98, 99}) {
    EXPECT_NE(memory.find(recent), nullptr) << recent;
  }
}

TEST(EvolverMemory, RemembersNothingWithZeroCapacity) {
  EvolverMemory memory(0);
  memory.remember(*toy_function(5));

  EXPECT_EQ(memory.size(), 0U);
}

// In each cycle, the second island makes what the first one made in the cycle
// before.
Result<FunctionPtr> follow(const std::vector<FunctionPtr>& /*parents*/,
                           const MutationContext& context) {
  const auto cycle = static_cast<std::int64_t>(context.cycle);
  return ToyEngine::child(context.island == 0 ? 10 * cycle : 10 * (cycle - 1));
}

TEST(EvolverMemory, ReusesEvaluationOfAnotherIsland) {
  Evolver evolver({.num_islands = 2, .max_cycles = 3}, toy_parts(follow));

  const auto outcome = evolver.run();

  // The second island has 0 already, and is given 10 and 20.
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counts.evaluations, 1 + 3);
  EXPECT_EQ(outcome->counts.duplicates, 1);
  EXPECT_EQ(outcome->counts.reused, 2);
  EXPECT_EQ(toy_number(*evolver.islands()[1]->best_fn()), 20);
}

TEST(EvolverMemory, EvaluatesSkeletonUpToLimit) {
  Evolver evolver(
      {.num_islands = 1, .max_cycles = 10, .most_evaluations_of_one = 3},
      toy_parts([](const auto& /*parents*/, const auto& /*context*/) {
        return ToyEngine::child(5);
      }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counts.evaluations, 1 + 3);
  EXPECT_EQ(outcome->counts.duplicates, 7);
}

TEST(EvolverMemory, StoresKnownSkeletonWithBetterConstants) {
  Evolver evolver(
      {.num_islands = 1, .max_cycles = 5},
      toy_parts([](const auto& /*parents*/, const auto& context) {
        auto fn = ToyEngine::child(5);
        const double score =
            context.cycle < 4 ? static_cast<double>(context.cycle) : 1.0;
        fn->accept({.scores = {score}, .failure = {}, .constants = {score}});
        return fn;
      }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->best->score(), 3);
  EXPECT_EQ(outcome->counts.stored, 3);
  EXPECT_EQ(outcome->counts.duplicates, 2);
  EXPECT_EQ(outcome->counts.evaluations, 1);
}

}  // namespace
}  // namespace lamarck::archipelago
