// When a run ends.

#include <gtest/gtest.h>

#include "lamarck/evolution/internal/given_task.h"

namespace lamarck::evolution {
namespace {

TEST(EvolutionBudget, EndsAfterSoManyGenerations) {
  for (const char* strategy : kStrategyNames) {
    Evolution evolution = evolution_of({}, strategy);
    evolution.options.budget = {.generations = 7};
    const EvolutionResult result = evolution.run();
    EXPECT_FALSE(result.target_reached);
    EXPECT_FALSE(result.cancelled);
    EXPECT_EQ(result.counts.generations, 7);
    EXPECT_EQ(result.loss, 1);
  }
}

TEST(EvolutionBudget, EndsAfterSoManyEvaluations) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = loss_by_size;
    Evolution evolution = evolution_of(task, strategy);
    evolution.options.budget = {.evaluations = 9};
    const EvolutionResult result = evolution.run();
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.counts.evaluations, 9);
    EXPECT_EQ(result.counts.gradient_steps, 27);
    EXPECT_EQ(result.loss, loss_by_size(result.network));
  }
}

TEST(EvolutionBudget, EndsWhenNothingHasBecomeBetterForLong) {
  for (const char* strategy : kStrategyNames) {
    Evolution evolution = evolution_of({}, strategy);
    evolution.options.budget = {.flat_generations = 5};
    const EvolutionResult result = evolution.run();
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.counts.generations, 6);  // The first one was a gain.
  }
}

TEST(EvolutionBudget, EndsWhenTheTimeIsOver) {
  ManualClock clock;
  Evolution evolution = evolution_of({});
  evolution.options.clock = &clock;
  evolution.options.budget = {.seconds = 10};
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    if (std::holds_alternative<GenerationDone>(event)) {
      clock.advance(std::chrono::seconds(3));
    }
  });
  const EvolutionResult result = evolution.run();
  EXPECT_FALSE(result.target_reached);
  EXPECT_EQ(result.counts.generations, 4);
  EXPECT_EQ(result.seconds, 12);
}

TEST(EvolutionBudget, EndsWhenItIsCancelledFromWithin) {
  CancelSource source;
  Evolution evolution = evolution_of({});
  evolution.options.budget = {};
  evolution.options.cancel = source.token();
  int kept = 0;
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    if (std::holds_alternative<GenerationDone>(event) && ++kept == 3) {
      source.cancel("enough");
    }
  });
  const EvolutionResult result = evolution.run();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.target_reached);
  EXPECT_EQ(result.counts.generations, 3);
}

TEST(EvolutionBudget, TheTargetEndsItAtOnce) {
  GivenTask task;
  task.score = [](Rng&) { return 0.95; };
  const EvolutionResult result = evolution_of(task).run();
  EXPECT_TRUE(result.target_reached);
  EXPECT_EQ(result.counts.evaluations, 1);
}

}  // namespace
}  // namespace lamarck::evolution
