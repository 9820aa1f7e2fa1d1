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

// Sets only the loss, as a user's task may.
class OneLossTask : public GivenTask {
 public:
  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& /*context*/) const override {
    return {.loss = loss(network)};
  }
};

TEST(EvolutionBudget, OneLossIsEnough) {
  OneLossTask task;
  task.loss = loss_by_size;
  const EvolutionResult result =
      Evolution{.network = minimal_network(2, 1),
                .task = task,
                .options = {.budget = {.generations = 20}, .threads = 1}}
          .run()
          .value();
  EXPECT_EQ(result.counts.dropped, 0);
  EXPECT_EQ(result.loss, loss_by_size(result.network));
  EXPECT_EQ(result.reason, "generations");
}

TEST(EvolutionBudget, CountsChildrenWithoutFeasibleMutation) {
  OneLossTask task;
  task.loss = loss_by_size;
  Evolution evolution{.network = minimal_network(2, 1),
                      .task = task,
                      .options = {.budget = {.evaluations = 21}, .threads = 1}};
  EXPECT_EQ(evolution.run().value().counts.infeasible, 0);
  for (const Mutation& mutation : mutation_table()) {
    evolution.options.mutations[std::string(mutation.name)] = 0;
  }
  const EvolutionResult result = evolution.run().value();
  EXPECT_EQ(result.counts.infeasible, result.counts.evaluations - 1);
  EXPECT_EQ(result.network.hidden_count(), 0u);
}

TEST(EvolutionBudget, EndsWithoutAnyLimit) {
  Evolution evolution = make_evolution({});
  evolution.options.budget = {};
  const EvolutionResult result = evolution.run().value();
  EXPECT_EQ(result.reason, "flat_generations");
  EXPECT_EQ(result.counts.generations, kDefaultFlatGenerations + 1);
}

TEST(EvolutionBudget, FailsIfEveryCandidateIsDropped) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = [](const Network&) { return std::nan(""); };
    Evolution evolution = make_evolution(task, strategy);
    evolution.options.budget = {};
    const auto result = evolution.run();
    ASSERT_FALSE(result.has_value()) << strategy;
    EXPECT_EQ(result.error().code(), ErrorCode::FailedPrecondition);
    EXPECT_NE(result.error().message().find("had a finite loss"),
              std::string::npos)
        << result.error().message();
  }
}

}  // namespace
}  // namespace lamarck::evolution
