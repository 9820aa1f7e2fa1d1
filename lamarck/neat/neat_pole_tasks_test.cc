#include "lamarck/neat/neat_pole_tasks.h"

#include <gtest/gtest.h>

#include "lamarck/neat/neat_search.h"

namespace lamarck::neat {
namespace {

NeatOutcome solve(const NeatBenchmark& benchmark, std::uint64_t seed) {
  Population population(benchmark.task.inputs, benchmark.task.outputs,
                        benchmark.options, seed);
  return search(population, benchmark.task, {.evaluations = 100'000});
}

// Returns the mean number of evaluations and expects every seed to be solved.
double mean_evaluations(const NeatBenchmark& benchmark, std::uint64_t seeds) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const NeatOutcome outcome = solve(benchmark, seed);
    EXPECT_TRUE(outcome.solved) << "seed " << seed;
    sum += static_cast<double>(outcome.evaluations);
    if (!benchmark.task.measure.of) continue;
    FlatNetwork network(outcome.best);
    EXPECT_GE(benchmark.task.measure.of(network), 200) << "seed " << seed;
  }
  return sum / static_cast<double>(seeds);
}

// Returns a genome whose output is always 0.5, which applies no force.
Genome idle_genome(std::size_t inputs) {
  InnovationTracker tracker(Genome::node_count(inputs, 1));
  return Genome::minimal(inputs, 1, tracker);
}

TEST(DoublePoleTask, FitnessIsNumberOfStepsUntilFall) {
  FlatNetwork network(idle_genome(6));
  const NeatEvaluation result = double_pole_benchmark().task.evaluate(network);
  EXPECT_FALSE(result.solved);
  EXPECT_GT(result.fitness, 10);
  EXPECT_LT(result.fitness, 100);
}

TEST(DoublePoleTask, DampingCountsOnlyAfterHundredSteps) {
  FlatNetwork network(idle_genome(3));
  const NeatEvaluation result =
      double_pole_no_velocity_benchmark().task.evaluate(network);
  EXPECT_GT(result.fitness, 0);
  EXPECT_LT(result.fitness, 0.01);  // 0.1 t / 1000 for t below 100.
}

TEST(DoublePoleTask, IdleNetworkBalancesOnlyFromRest) {
  FlatNetwork network(idle_genome(3));
  EXPECT_EQ(double_pole_generalization(network), 5);  // One for each position.
  EXPECT_EQ(double_pole_generalization(network, 200), 199);
}

TEST(DoublePoleTask, IsSolvedWithVelocities) {
  EXPECT_TRUE(solve(double_pole_benchmark(), 1).solved);
}

TEST(NeatSlow, BalancesTwoPolesWithTwentySeeds) {
  EXPECT_LE(mean_evaluations(double_pole_benchmark(), 20), 3200);
}

TEST(NeatSlow, BalancesTwoPolesWithoutVelocitiesWithTenSeeds) {
  EXPECT_LE(mean_evaluations(double_pole_no_velocity_benchmark(), 10), 15'000);
}

}  // namespace
}  // namespace lamarck::neat
