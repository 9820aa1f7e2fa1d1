#include "lamarck/neat/neat_data_task.h"
#include "lamarck/base/macros.h"

#include <string>
#include <gtest/gtest.h>

#include "lamarck/data/csv.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/neat/neat_search.h"

namespace lamarck::neat {
namespace {

Result<NeatBenchmark> make_benchmark(const std::string& csv, double goal) {
  ASSIGN_OR_RETURN(const data::Table table, data::parse_csv(csv));
  ASSIGN_OR_RETURN(const data::Dataset data,
                   data::to_dataset(table, {.target = "y"}));
  return data_benchmark(data, goal);
}

NeatOutcome solve(const NeatBenchmark& benchmark) {
  Population population(benchmark.task.inputs, benchmark.task.outputs,
                        benchmark.options, 1);
  return search(population, benchmark.task, {.evaluations = 20'000});
}

double measure(const NeatBenchmark& benchmark, const Genome& genome) {
  FlatNetwork network(genome);
  return benchmark.task.measure.of(network);
}

TEST(NeatDataTask, SeparatesTwoClassesWithOneOutput) {
  const auto benchmark =
      make_benchmark("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n", 1.0).value();
  EXPECT_EQ(benchmark.task.outputs, 1u);
  EXPECT_EQ(benchmark.task.measure.name, "accuracy");
  const NeatOutcome outcome = solve(benchmark);
  EXPECT_TRUE(outcome.solved);
  EXPECT_EQ(measure(benchmark, outcome.best), 1);
}

TEST(NeatDataTask, MeasuresHeldOutRows) {
  const auto rows = [](const char* csv) {
    return data::to_dataset(data::parse_csv(csv).value(), {.target = "y"})
        .value();
  };
  const data::Dataset known = rows("a,y\n1,no\n2,no\n3,yes\n4,yes\n");
  const data::Dataset others = rows("a,y\n0,yes\n1,yes\n5,no\n4,no\n");
  const auto benchmark = data_benchmark(known, 1.0, &others).value();

  const NeatOutcome outcome = solve(benchmark);

  EXPECT_EQ(benchmark.task.measure.name, "accuracy on held-out rows");
  EXPECT_TRUE(outcome.solved);
  EXPECT_EQ(measure(benchmark, outcome.best), 0);
}

TEST(NeatDataTask, SeparatesThreeClassesWithOneOutputEach) {
  const auto benchmark =
      make_benchmark("a,y\n1,x\n2,x\n3,y\n4,y\n5,z\n6,z\n", 1.0).value();
  EXPECT_EQ(benchmark.task.outputs, 3u);
  EXPECT_TRUE(solve(benchmark).solved);
}

TEST(NeatDataTask, FitsNumbersUntilVarianceIsExplained) {
  std::string csv = "a,y\n";
  for (int i = -5; i <= 5; ++i) {
    csv += std::to_string(i) + "," + std::to_string(100 + 3 * i) + "\n";
  }
  const auto benchmark = make_benchmark(csv, 0.9).value();
  EXPECT_EQ(benchmark.task.measure.name, "r2");
  const NeatOutcome outcome = solve(benchmark);
  EXPECT_TRUE(outcome.solved);
  EXPECT_GE(measure(benchmark, outcome.best), 0.9);
}

TEST(NeatDataTask, StandardizesInputs) {
  const auto near = make_benchmark("a,y\n1,n\n2,m\n3,n\n", 1).value();
  const auto far = make_benchmark("a,y\n1000,n\n2000,m\n3000,n\n", 1).value();
  InnovationTracker tracker(Genome::node_count(1, 1));
  Genome genome = Genome::minimal(1, 1, tracker);
  Rng rng(1);
  genome.randomize_weights(1, rng);
  FlatNetwork network(genome);
  EXPECT_NEAR(near.task.evaluate(network).fitness,
              far.task.evaluate(network).fitness, 1e-6);
}

TEST(NeatDataTask, RejectsConstantTarget) {
  EXPECT_EQ(make_benchmark("a,y\n1,2\n2,2\n", 1).error().message(),
            "The target has the same value in all 2 rows, so there is nothing "
            "to predict; choose another target.");
  EXPECT_FALSE(make_benchmark("a,y\n1,x\n2,x\n", 1).has_value());
}

}  // namespace
}  // namespace lamarck::neat
