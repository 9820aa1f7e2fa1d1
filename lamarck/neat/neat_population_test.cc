#include "lamarck/neat/neat_population.h"

#include <algorithm>
#include <limits>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/neat/neat_pole_tasks.h"
#include "lamarck/neat/neat_search.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {
namespace {

struct Runs {
  int solved = 0;
  double mean_evaluations = 0;
};

Runs run_seeds(const NeatBenchmark& benchmark, int seeds,
               std::int64_t max_evaluations = 100'000) {
  Runs runs;
  for (int seed = 1; seed <= seeds; ++seed) {
    Population population(benchmark.task.inputs, benchmark.task.outputs,
                          benchmark.options, static_cast<std::uint64_t>(seed));
    const NeatOutcome outcome =
        search(population, benchmark.task, {.evaluations = max_evaluations});
    runs.solved += outcome.solved ? 1 : 0;
    runs.mean_evaluations += static_cast<double>(outcome.evaluations) / seeds;
  }
  return runs;
}

TEST(Population, SolvesXor) {
  const Runs runs = run_seeds(xor_benchmark(), 10);
  EXPECT_EQ(runs.solved, 10);
  EXPECT_LE(runs.mean_evaluations, 4000);
}

TEST(NeatSlow, SolvesXorWithHundredSeeds) {
  const Runs runs = run_seeds(xor_benchmark(), 100);
  EXPECT_EQ(runs.solved, 100);
  EXPECT_LE(runs.mean_evaluations, 2900);
}

TEST(Population, SolvesCartPole) {
  const Runs runs = run_seeds(cart_pole_benchmark(), 3, 5000);
  EXPECT_EQ(runs.solved, 3);
}

TEST(Population, ResultDoesNotDependOnThreadCount) {
  const NeatBenchmark benchmark = xor_benchmark();
  ThreadPool pool(3);
  for (const std::uint64_t seed : {1, 2, 3}) {
    Population alone(2, 1, benchmark.options, seed);
    Population shared(2, 1, benchmark.options, seed);
    const NeatOutcome a = search(alone, benchmark.task, {});
    const NeatOutcome b = search(shared, benchmark.task, {}, &pool);
    EXPECT_EQ(a.evaluations, b.evaluations);
    EXPECT_EQ(a.best, b.best);
  }
}

NeatTask constant_task() {
  return {.name = "constant",
          .inputs = 2,
          .outputs = 1,
          .evaluate = [](FlatNetwork&) -> NeatEvaluation {
            return {.fitness = 1};
          }};
}

TEST(Population, TakesEvaluationsMadeElsewhere) {
  const NeatBenchmark benchmark = xor_benchmark();
  for (const std::uint64_t seed : {1, 2, 3}) {
    Population own(2, 1, benchmark.options, seed);
    Population fed(2, 1, benchmark.options, seed);
    for (bool is_solved = false; !is_solved; own.evolve(), fed.evolve()) {
      std::vector<NeatEvaluation> evaluations;
      for (const Genome& genome : fed.genomes()) {
        FlatNetwork network(genome);
        evaluations.push_back(benchmark.task.evaluate(network));
      }
      const bool is_fed_solved = fed.evaluate(evaluations);
      is_solved = own.evaluate(benchmark.task);
      ASSERT_EQ(is_fed_solved, is_solved);
      if (is_solved) break;
    }
    EXPECT_EQ(own.best(), fed.best());
    EXPECT_EQ(own.evaluations(), fed.evaluations());
  }
}

TEST(Population, RejectsEvaluationsThatAreNotFitness) {
  Population population(2, 1, {.population = 3}, 1);
  EXPECT_THROW(population.evaluate(std::vector<NeatEvaluation>(2)), LogicError);
  EXPECT_THROW(population.evaluate(std::vector<NeatEvaluation>(3, {-1.0})),
               LogicError);
}

TEST(Population, KeepsItsSizeAndAssignsEveryGenomeToOneSpecies) {
  Population population(2, 1, {.population = 50}, 1);
  for (int i = 0; i < 40; ++i) {
    population.evaluate(xor_benchmark().task);
    population.evolve();
    std::size_t members = 0;
    for (const Species& species : population.species()) {
      members += species.members.size();
    }
    ASSERT_EQ(members, 50u) << "generation " << i;
  }
}

TEST(Population, NeverLosesItsChampion) {
  Population population(2, 1, {.population = 30}, 1);
  double best = 0;
  for (int i = 0; i < 60; ++i) {
    if (population.evaluate(xor_benchmark().task)) break;
    double now = 0;
    for (const Genome& genome : population.genomes()) {
      now = std::max(now, genome.fitness);
    }
    EXPECT_GE(now, best) << "generation " << i;
    best = now;
    population.evolve();
  }
}

TEST(Population, RestartsFromMinimalGenomesAfterExtinction) {
  Population population(
      2, 1, {.population = 20, .stagnation = 3, .best_species_stays = false},
      1);
  int restarts = 0;
  population.use_profiler([&](const NeatEvent& event) {
    if (std::holds_alternative<PopulationRestarted>(event)) {
      ++restarts;
    }
  });
  const NeatTask task = constant_task();
  for (int i = 0; i < 40 && restarts == 0; ++i) {
    population.evaluate(task);
    population.evolve();
  }
  EXPECT_EQ(restarts, 1);
  for (const Genome& genome : population.genomes()) {
    EXPECT_EQ(genome.hidden_count(), 0u);
  }
}

TEST(Population, RestartsWhenPatienceRunsOut) {
  Population population(2, 1, {.population = 20, .patience = 7}, 1);
  std::vector<std::size_t> restarts;
  population.use_profiler([&](const NeatEvent& event) {
    if (const auto* restarted = std::get_if<PopulationRestarted>(&event)) {
      restarts.push_back(restarted->payload.generation);
    }
  });
  const NeatTask task = constant_task();
  for (int i = 0; i < 16; ++i) {
    population.evaluate(task);
    population.evolve();
  }
  EXPECT_EQ(restarts, (std::vector<std::size_t>{7, 14}));
}

TEST(Population, KeepsBestGenomeAcrossRestarts) {
  Population population(2, 1, {.population = 30, .patience = 10}, 1);
  double best = 0;
  for (int i = 0; i < 30; ++i) {
    if (population.evaluate(xor_benchmark().task)) break;
    EXPECT_GE(population.best().fitness, best);
    best = population.best().fitness;
    population.evolve();
  }
}

TEST(Population, ReportsGenerationsAndSpecies) {
  Population population(2, 1, {.population = 20}, 1);
  std::size_t generations = 0;
  std::size_t ranked = 0;
  std::int64_t evaluations = 0;
  population.use_profiler([&](const NeatEvent& event) {
    if (const auto* evaluated = std::get_if<GenerationEvaluated>(&event)) {
      ++generations;
      ranked = 0;
      evaluations = evaluated->payload.evaluations;
    }
    if (std::holds_alternative<SpeciesRanked>(event)) ++ranked;
  });
  population.evaluate(constant_task());
  EXPECT_EQ(generations, 1u);
  EXPECT_EQ(ranked, population.species().size());
  EXPECT_EQ(evaluations, 20);
}

TEST(Population, AcceptsChampionThatPassesSeparateTest) {
  NeatTask task = constant_task();
  task.is_solution = [](FlatNetwork&, double) { return true; };
  Population population(2, 1, {}, 1);
  EXPECT_TRUE(population.evaluate(task));
}

TEST(Population, RejectsNegativeAndNonFiniteFitness) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double fitness : {-0.5, kInfinity, kNan}) {
    NeatTask task = constant_task();
    task.evaluate = [fitness](FlatNetwork&) -> NeatEvaluation {
      return {.fitness = fitness};
    };
    Population population(2, 1, {}, 1);
    EXPECT_THROW(population.evaluate(task), LogicError) << fitness;
  }
}

TEST(Population, NamesTaskAndNegativeFitnessInError) {
  NeatTask task = constant_task();
  task.evaluate = [](FlatNetwork&) -> NeatEvaluation {
    return {.fitness = -0.5};
  };
  ThreadPool pool(2);
  for (ThreadPool* const threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    Population population(2, 1, {}, 1);
    try {
      population.evaluate(task, threads);
      FAIL() << "a negative fitness must be rejected";
    } catch (const LogicError& failure) {
      EXPECT_EQ(failure.error().code(), ErrorCode::InvalidArgument);
      EXPECT_EQ(failure.error().message(),
                "Population::evaluate: the fitness of task 'constant' must be "
                "finite and 0 or more, got -0.5; shift it so that it is never "
                "negative.");
    }
  }
}

TEST(Population, MustBeEvaluatedBeforeBreeding) {
  Population population(2, 1, {}, 1);
  EXPECT_THROW(population.evolve(), LogicError);
  EXPECT_THROW(population.best(), LogicError);
  EXPECT_THROW(population.evaluate(cart_pole_benchmark().task), LogicError);
}

// A single call of `learn` moves weights half of the way to 40. Mutation clamps
// weights to 8, so without inheritance none would exceed 24.
TEST(Population, GenomesPassOnWhatTheyLearn) {
  NeatTask task = constant_task();
  task.learn = [](Genome& genome) {
    for (const ConnectionGene& gene : std::vector<ConnectionGene>(
             genome.connections().begin(), genome.connections().end())) {
      genome.set_weight(gene.innovation, (gene.weight + 40) / 2);
    }
  };
  Population population(2, 1, {.population = 30}, 1);
  for (int i = 0; i < 6; ++i) {
    population.evaluate(task);
    population.evolve();
  }
  population.evaluate(task);
  double sum = 0;
  double count = 0;
  for (const Genome& genome : population.genomes()) {
    for (const ConnectionGene& gene : genome.connections()) {
      sum += gene.weight;
      ++count;
    }
  }
  EXPECT_GT(sum / count, 25);
  task.learn = [](Genome& genome) {
    genome.set_weight(0, std::numeric_limits<float>::quiet_NaN());
  };
  population.evolve();
  EXPECT_THROW(population.evaluate(task), LogicError);
}

TEST(Search, EndsWhenCancelled) {
  CancelSource source;
  source.cancel("enough");
  Population population(2, 1, {}, 1);
  const NeatOutcome outcome =
      search(population, constant_task(), {.cancel = source.token()});
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.generations, 1u);
}

TEST(Search, EndsAtEvaluationLimit) {
  Population population(2, 1, {}, 1);
  const NeatOutcome outcome =
      search(population, constant_task(), {.evaluations = 1000});
  EXPECT_FALSE(outcome.solved);
  EXPECT_EQ(outcome.evaluations, 1050);
}

TEST(NeatBenchmark, IsFoundByName) {
  for (const std::string& name : neat_benchmark_names()) {
    const auto benchmark = neat_benchmark_named(name);
    ASSERT_TRUE(benchmark.has_value());
    EXPECT_EQ(benchmark->task.name, name);
  }
  EXPECT_EQ(neat_benchmark_named("carpole").error().message(),
            "Unknown task 'carpole'; did you mean 'cartpole'?");
}

}  // namespace
}  // namespace lamarck::neat
