#include "lamarck/evolution/evolution.h"

#include <gtest/gtest.h>

#include "lamarck/evolution/example_tasks.h"
#include "lamarck/evolution/internal/given_task.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

void expect_knows_xor(std::uint64_t seed, const char* strategy) {
  const ExampleTask task = example_task_named("xor").value();
  Evolution evolution = task.make(seed);
  evolution.options.strategy = strategy;
  evolution.options.budget.evaluations = 2000;
  evolution.options.threads = 1;
  const EvolutionResult result = evolution.run().value();
  EXPECT_TRUE(result.target_reached) << strategy << " from " << seed;
  EXPECT_TRUE(task.is_right(result.network)) << strategy << " from " << seed;
  EXPECT_EQ(result.score, 1);
}

TEST(EvolutionOfXor, CascadeSolvesItFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    expect_knows_xor(seed, "cascade");
  }
}

TEST(EvolutionOfXor, HillClimbSolvesItFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    expect_knows_xor(seed, "hill_climb");
  }
}

TEST(EvolutionOfXor, ResultGraphMatchesResultNetwork) {
  Evolution evolution = example_task_named("xor").value().make(1);
  const EvolutionResult result = evolution.run().value();
  const Tensor inputs = xor_examples().inputs;
  result.graph.named("input").set_value(inputs);
  result.graph.named("output").forward();
  const auto wanted = predict(result.network, inputs).to_vector();
  const auto given = result.graph.named("output").value().to_vector();
  ASSERT_EQ(given.size(), wanted.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(given[i], wanted[i], 1e-5);
  }
}

void expect_solved(const char* name, std::uint64_t seeds) {
  const ExampleTask task = example_task_named(name).value();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Evolution evolution = task.make(seed);
    evolution.options.budget.evaluations = 20000;
    const EvolutionResult result = evolution.run().value();
    EXPECT_TRUE(result.target_reached) << name << " from " << seed;
    EXPECT_TRUE(task.is_right(result.network)) << name << " from " << seed;
  }
}

TEST(EvolutionSlow, SolvesTwoSpiralsFromTenSeeds) {
  expect_solved("spirals", 10);
}
TEST(EvolutionSlow, LearnsParityOfAnyLengthFromTenSeeds) {
  expect_solved("parity", 10);
}

// ---- The same seed gives the same result

void expect_same(const EvolutionResult& a, const EvolutionResult& b) {
  EXPECT_EQ(owned_parameters(a.network), owned_parameters(b.network));
  EXPECT_EQ(a.network.topology_hash(), b.network.topology_hash());
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.counts.generations, b.counts.generations);
  EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
  EXPECT_EQ(a.counts.gradient_steps, b.counts.gradient_steps);
  EXPECT_EQ(a.counts.dropped, b.counts.dropped);
  EXPECT_EQ(a.counts.stopped_early, b.counts.stopped_early);
  EXPECT_EQ(a.counts.repeated, b.counts.repeated);
  EXPECT_EQ(a.counts.restarts, b.counts.restarts);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].loss, b.history[i].loss);
    EXPECT_EQ(a.history[i].mutation, b.history[i].mutation);
    EXPECT_EQ(a.history[i].evaluations, b.history[i].evaluations);
  }
}

TEST(Evolution, ResultDoesNotDependOnThreadCount) {
  for (const char* strategy : kStrategyNames) {
    SCOPED_TRACE(strategy);
    const auto run = [&](std::size_t threads) {
      Evolution evolution = example_task_named("spirals").value().make(5);
      evolution.options.strategy = strategy;
      evolution.options.islands = 3;
      evolution.options.migrate_every = 3;
      evolution.options.offspring = 2;
      evolution.options.restart_after = 4;
      evolution.options.budget.generations = 8;
      evolution.options.threads = threads;
      return evolution.run().value();
    };
    const EvolutionResult one = run(1);
    expect_same(one, run(2));
    expect_same(one, run(5));
  }
}

// Sequences of number pairs; the target is the product of the first pair.
Examples sequences() {
  Rng rng(1);
  const Tensor inputs = Tensor::randn({24, 4, 2}, rng);
  Tensor targets = Tensor::zeros({24, 1});
  for (std::int64_t i = 0; i < 24; ++i) {
    targets.at({i, 0}) = inputs.at({i, 0, 0}) * inputs.at({i, 0, 1});
  }
  return {inputs, targets};
}

TEST(Evolution, ResultOfLayersDoesNotDependOnThreadCount) {
  for (const bool has_steps : {false, true}) {
    const auto run = [&](std::size_t threads) {
      const Examples examples = has_steps ? sequences() : two_spirals();
      return Evolution{.network = minimal_layers({.channels = 2}, 1, 1),
                       .task = SupervisedTask(examples, examples, Metric::R2,
                                              {.training = {.epochs = 4}}),
                       .options = {.target_metric = 2,
                                   .grain = Grain::Both,
                                   .limits = {.first_width = 4},
                                   .offspring = 2,
                                   .islands = 2,
                                   .migrate_every = 4,
                                   .budget = {.generations = 16},
                                   .threads = threads}}
          .run()
          .value();
    };
    const EvolutionResult one = run(1);
    expect_same(one, run(3));
    EXPECT_EQ(one.counts.dropped, 0);
    EXPECT_LT(one.loss, one.history.front().loss);
  }
}

TEST(Evolution, ResultDependsOnSeed) {
  const auto loss_of = [](std::uint64_t seed) {
    Evolution evolution = example_task_named("spirals").value().make(3);
    evolution.options.seed = seed;
    evolution.options.budget.generations = 4;
    return evolution.run().value().loss;
  };
  EXPECT_NE(loss_of(1), loss_of(2));
}

}  // namespace
}  // namespace lamarck::evolution
