// Tests when a run ends.

#include <gtest/gtest.h>

#include "lamarck/evolution/internal/given_task.h"

namespace lamarck::evolution {
namespace {

TEST(EvolutionBudget, EndsAfterGivenGenerations) {
  for (const char* strategy : kStrategyNames) {
    Evolution evolution = make_evolution({}, strategy);
    evolution.options.budget = {.generations = 7};
    const EvolutionResult result = evolution.run().value();
    EXPECT_FALSE(result.target_reached);
    EXPECT_FALSE(result.cancelled);
    EXPECT_EQ(result.counts.generations, 7);
    EXPECT_EQ(result.loss, 1);
  }
}

TEST(EvolutionBudget, EndsAfterGivenEvaluations) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = loss_by_size;
    Evolution evolution = make_evolution(task, strategy);
    evolution.options.budget = {.evaluations = 9};
    const EvolutionResult result = evolution.run().value();
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.counts.evaluations, 9);
    EXPECT_EQ(result.counts.gradient_steps, 27);
    EXPECT_EQ(result.loss, loss_by_size(result.network));
  }
}

TEST(EvolutionBudget, EndsAfterGenerationsWithoutImprovement) {
  for (const char* strategy : kStrategyNames) {
    Evolution evolution = make_evolution({}, strategy);
    evolution.options.budget = {.flat_generations = 5};
    const EvolutionResult result = evolution.run().value();
    EXPECT_FALSE(result.target_reached);
    // The first generation is an improvement.
    EXPECT_EQ(result.counts.generations, 6);
  }
}

TEST(EvolutionBudget, EndsWhenTimeIsUp) {
  ManualClock clock;
  Evolution evolution = make_evolution({});
  evolution.options.clock = &clock;
  evolution.options.budget = {.seconds = 10};
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    if (std::holds_alternative<GenerationDone>(event)) {
      clock.advance(std::chrono::seconds(3));
    }
  });
  const EvolutionResult result = evolution.run().value();
  EXPECT_FALSE(result.target_reached);
  EXPECT_EQ(result.counts.generations, 4);
  EXPECT_EQ(result.seconds, 12);
}

TEST(EvolutionBudget, EndsWhenCancelledByListener) {
  CancelSource source;
  Evolution evolution = make_evolution({});
  evolution.options.budget = {};
  evolution.options.cancel = source.token();
  int generations = 0;
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    if (std::holds_alternative<GenerationDone>(event) && ++generations == 3) {
      source.cancel("enough");
    }
  });
  const EvolutionResult result = evolution.run().value();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.target_reached);
  EXPECT_EQ(result.counts.generations, 3);
}

TEST(EvolutionBudget, EndsAtOnceWhenTargetIsReached) {
  GivenTask task;
  task.score = [](Rng&) { return 0.95; };
  const EvolutionResult result = make_evolution(task).run().value();
  EXPECT_TRUE(result.target_reached);
  EXPECT_EQ(result.counts.evaluations, 1);
}

}  // namespace
}  // namespace lamarck::evolution
