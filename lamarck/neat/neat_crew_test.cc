// NEAT by a crew gives the same result as by threads.

#include "lamarck/neat/neat_crew.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/crew/random_members_fixture.h"
#include "lamarck/neat/neat_bytes.h"
#include "lamarck/neat/neat_pole_tasks.h"
#include "lamarck/neat/neat_search.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {
namespace {

std::string bytes_of(const NeatOutcome& outcome) {
  crew::ByteWriter out;
  add_outcome(out, outcome);
  return out.take();
}

Population make_population(const NeatBenchmark& benchmark, std::uint64_t seed) {
  return {benchmark.task.inputs, benchmark.task.outputs, benchmark.options,
          seed};
}

// XOR in which genomes also learn, so that weights travel back.
NeatBenchmark learning_benchmark() {
  NeatBenchmark benchmark = xor_benchmark();
  benchmark.task.learn = [](Genome& genome) {
    for (const ConnectionGene& gene : genome.connections()) {
      genome.set_weight(gene.innovation, gene.weight * 0.99f + 0.01f);
    }
  };
  return benchmark;
}

TEST(NeatCrew, ThreadsGiveTheSameResultAsNoCrew) {
  for (const NeatBenchmark& benchmark :
       {xor_benchmark(), cart_pole_benchmark(), learning_benchmark()}) {
    for (const std::uint64_t seed : {1, 2}) {
      Population plain = make_population(benchmark, seed);
      const NeatOutcome alone =
          search(plain, benchmark.task, {.evaluations = 3000});
      crew::CrewLeader leader({.version = "1", .simd = "", .threads = 2});
      NeatCrew shared(leader, benchmark.task);
      Population population = make_population(benchmark, seed);

      const auto outcome = search(population, shared, {.evaluations = 3000});

      ASSERT_TRUE(outcome) << outcome.error().message();
      EXPECT_EQ(bytes_of(*outcome), bytes_of(alone))
          << benchmark.task.name << ", seed " << seed;
      EXPECT_GT(shared.cpu_seconds(), 0);
    }
  }
}

TEST(NeatCrew, LostAndLateMembersDoNotChangeTheResult) {
  const NeatBenchmark benchmark = learning_benchmark();
  Population plain = make_population(benchmark, 4);
  const NeatOutcome alone =
      search(plain, benchmark.task, {.evaluations = 3000});
  std::int64_t shared_pieces = 0;
  for (std::uint64_t schedule = 0; schedule < 20; ++schedule) {
    crew::RandomMembers members(schedule, [&](crew::Crew& crew) {
      (void)NeatCrew(crew, benchmark.task).serve();
    });
    {
      const auto leader = members.leader();
      NeatCrew shared(*leader, benchmark.task);
      Population population = make_population(benchmark, 4);
      population.use_profiler([&](const NeatEvent& event) {
        if (std::holds_alternative<GenerationEvaluated>(event)) {
          members.disturb();
        }
      });

      const auto outcome = search(population, shared, {.evaluations = 3000});

      ASSERT_TRUE(outcome) << outcome.error().message();
      EXPECT_EQ(bytes_of(*outcome), bytes_of(alone)) << "schedule " << schedule;
    }
    shared_pieces += members.pieces();
  }
  EXPECT_GT(shared_pieces, 0) << "No member computed anything.";
}

TEST(NeatCrew, ReportsAnInvalidFitness) {
  NeatBenchmark benchmark = xor_benchmark();
  benchmark.task.evaluate = [](FlatNetwork&) {
    return NeatEvaluation{.fitness = -1};
  };
  crew::CrewLeader leader({.version = "1", .simd = "", .threads = 1});
  NeatCrew shared(leader, benchmark.task);
  Population population = make_population(benchmark, 1);

  const auto outcome = search(population, shared, {});

  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message().find("0 or more, got -1"),
            std::string::npos)
      << outcome.error().message();
}

TEST(NeatBytes, DamagedBytesAreNoGenome) {
  const NeatBenchmark benchmark = xor_benchmark();
  Population population = make_population(benchmark, 1);
  for (int i = 0; i < 10; ++i) {
    population.evaluate(benchmark.task);
    population.evolve();
  }
  crew::ByteWriter out;
  add_genome(out, population.genomes().front());
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::string bytes = out.bytes();
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    bytes.resize(bytes.size() - rng.below(2));
    crew::ByteReader in(bytes);
    const Genome genome = read_genome(in);  // Must not crash.
    if (!in.is_good()) continue;
    for (const ConnectionGene& gene : genome.connections()) {
      EXPECT_TRUE(genome.has_node(gene.from) && genome.has_node(gene.to));
    }
  }
}

}  // namespace
}  // namespace lamarck::neat
