#include "lamarck/evolution/evolution.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>

#include "lamarck/base/error.h"
#include "lamarck/evolution/example_tasks.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Learns nothing; its loss and its score are what the functions say.
class GivenTask : public EvolutionTask {
 public:
  using EvolutionTask::evaluate;
  using EvolutionTask::train_until_converged;

  std::function<double(const Network&)> loss = [](const Network&) {
    return 1.0;
  };
  std::function<double(Rng&)> score = [](Rng&) { return 0.0; };
  bool deterministic = true;

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& /*context*/) const override {
    const double value = loss(network);
    return {.loss = value,
            .check_loss = value,
            .steps = 3,
            .is_finite = std::isfinite(value)};
  }
  double evaluate(const Network& /*network*/, Rng& rng) const override {
    return score(rng);
  }
  bool is_deterministic() const override { return deterministic; }
};

// Less with every parameter.
double loss_by_size(const Network& network) {
  return 100 - 0.1 * static_cast<double>(network.parameters().size());
}

Evolution evolution_of(GivenTask task, const char* strategy = "cascade") {
  return {
      .graph = minimal_network(2, 1),
      .task = std::move(task),
      .options = {
          .strategy = strategy, .budget = {.generations = 20}, .threads = 1}};
}

constexpr std::array kStrategyNames = {"cascade", "hill_climb"};

// ---- It learns.

void expect_knows_xor(std::uint64_t seed, const char* strategy) {
  const ExampleTask task = example_task_named("xor").value();
  Evolution evolution = task.make(seed);
  evolution.options.strategy = strategy;
  evolution.options.budget.evaluations = 2000;
  evolution.options.threads = 1;
  const EvolutionResult result = evolution.run();
  EXPECT_TRUE(result.target_reached) << strategy << " from " << seed;
  EXPECT_TRUE(task.is_right(result.network)) << strategy << " from " << seed;
  EXPECT_EQ(result.score, 1);
}

TEST(EvolutionOfXor, IsSolvedByCascadeFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    expect_knows_xor(seed, "cascade");
  }
}

TEST(EvolutionOfXor, IsSolvedByHillClimbFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    expect_knows_xor(seed, "hill_climb");
  }
}

TEST(EvolutionOfXor, GivesAGraphThatComputesWhatTheNetworkDoes) {
  Evolution evolution = example_task_named("xor").value().make(1);
  const EvolutionResult result = evolution.run();
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
    const EvolutionResult result = evolution.run();
    EXPECT_TRUE(result.target_reached) << name << " from " << seed;
    EXPECT_TRUE(task.is_right(result.network)) << name << " from " << seed;
  }
}

TEST(EvolutionSlow, TwoSpiralsAreSolvedFromTenSeeds) {
  expect_solved("spirals", 10);
}
TEST(EvolutionSlow, ParityOfAnyLengthIsLearntFromTenSeeds) {
  expect_solved("parity", 10);
}

// ---- The same seed gives the same result.

void expect_same(const EvolutionResult& a, const EvolutionResult& b) {
  EXPECT_EQ(owned_parameters(a.network), owned_parameters(b.network));
  EXPECT_EQ(a.network.topology_hash(), b.network.topology_hash());
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.counts.generations, b.counts.generations);
  EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
  EXPECT_EQ(a.counts.gradient_steps, b.counts.gradient_steps);
  EXPECT_EQ(a.counts.dropped, b.counts.dropped);
  EXPECT_EQ(a.counts.hopeless, b.counts.hopeless);
  EXPECT_EQ(a.counts.repeated, b.counts.repeated);
  EXPECT_EQ(a.counts.restarts, b.counts.restarts);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].loss, b.history[i].loss);
    EXPECT_EQ(a.history[i].mutation, b.history[i].mutation);
    EXPECT_EQ(a.history[i].evaluations, b.history[i].evaluations);
  }
}

TEST(Evolution, GivesTheSameWhateverTheThreads) {
  for (const char* strategy : kStrategyNames) {
    SCOPED_TRACE(strategy);
    const auto run = [&](std::size_t threads) {
      Evolution evolution = example_task_named("spirals").value().make(5);
      evolution.options.strategy = strategy;
      evolution.options.islands = 3;
      evolution.options.migrate_every = 3;
      evolution.options.brood = 2;
      evolution.options.restart_after = 4;
      evolution.options.budget.generations = 8;
      evolution.options.threads = threads;
      return evolution.run();
    };
    const EvolutionResult one = run(1);
    expect_same(one, run(2));
    expect_same(one, run(5));
  }
}

TEST(Evolution, AnotherSeedGivesAnotherResult) {
  const auto loss_of = [](std::uint64_t seed) {
    Evolution evolution = example_task_named("spirals").value().make(3);
    evolution.options.seed = seed;
    evolution.options.budget.generations = 4;
    return evolution.run().loss;
  };
  EXPECT_NE(loss_of(1), loss_of(2));
}

// ---- It ends.

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

// ---- What it tells.

std::vector<EvolutionEvent> events_of(Evolution evolution,
                                      EvolutionResult& result) {
  std::vector<EvolutionEvent> events;
  const Remover remove = evolution.profiler.use_profiler(
      [&](const EvolutionEvent& event) { events.push_back(event); });
  result = evolution.run();
  remove();
  return events;
}

struct Told {
  std::size_t tried = 0;
  std::size_t kept = 0;
  std::size_t rolled_back = 0;
  std::size_t generations = 0;
  std::vector<double> best_losses;
};

Told told_in(const std::vector<EvolutionEvent>& events) {
  Told told;
  for (const EvolutionEvent& event : events) {
    if (std::holds_alternative<MutationTried>(event)) ++told.tried;
    if (std::holds_alternative<MutationKept>(event)) ++told.kept;
    if (std::holds_alternative<MutationRolledBack>(event)) ++told.rolled_back;
    EXPECT_GE(told.tried, told.kept + told.rolled_back);
    if (const auto* done = std::get_if<GenerationDone>(&event)) {
      ++told.generations;
      EXPECT_EQ(done->payload.generation,
                static_cast<std::int64_t>(told.generations));
      EXPECT_EQ(done->payload.best_loss, told.best_losses.back());
    }
    if (const auto* best = std::get_if<BestImproved>(&event)) {
      told.best_losses.push_back(best->payload.loss);
    }
    EXPECT_FALSE(std::holds_alternative<Migrated>(event));
  }
  return told;
}

TEST(EvolutionEvents, TellOfEveryChildAndOfWhatBecameOfIt) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = loss_by_size;
    EvolutionResult result;
    const auto events = events_of(evolution_of(task, strategy), result);
    const Told told = told_in(events);
    EXPECT_EQ(told.tried, static_cast<std::size_t>(result.counts.evaluations -
                                                   1 - result.counts.restarts));
    EXPECT_EQ(told.tried, told.kept + told.rolled_back);
    EXPECT_EQ(told.generations, 20u);
    EXPECT_TRUE(std::ranges::is_sorted(told.best_losses, std::greater<>()));
    EXPECT_EQ(told.best_losses.size(), result.history.size());
    const auto* ended = std::get_if<EvolutionEnded>(&events.back());
    ASSERT_NE(ended, nullptr);
    EXPECT_EQ(ended->payload.reason, "generations");
    EXPECT_FALSE(ended->payload.target_reached);
  }
}

TEST(EvolutionEvents, NameMutationsOfTheList) {
  GivenTask task;
  task.loss = loss_by_size;
  EvolutionResult result;
  for (const EvolutionEvent& event : events_of(evolution_of(task), result)) {
    if (const auto* tried = std::get_if<MutationTried>(&event)) {
      EXPECT_NE(find_mutation(tried->payload.mutation), nullptr);
      EXPECT_EQ(tried->payload.island, 0u);
    }
  }
}

TEST(EvolutionEvents, IslandsSendTheirBestAround) {
  GivenTask task;
  task.loss = loss_by_size;
  Evolution evolution = evolution_of(task);
  evolution.options.islands = 3;
  evolution.options.migrate_every = 4;
  EvolutionResult result;
  std::size_t journeys = 0;
  for (const EvolutionEvent& event : events_of(evolution, result)) {
    const auto* migrated = std::get_if<Migrated>(&event);
    if (migrated == nullptr) continue;
    ++journeys;
    EXPECT_EQ(migrated->payload.generation % 4, 0);
    EXPECT_EQ(migrated->payload.to, (migrated->payload.from + 1) % 3);
  }
  EXPECT_EQ(journeys, 5u * 3u);
}

TEST(EvolutionEvents, AFlatIslandBeginsAnew) {
  Evolution evolution = evolution_of({});
  evolution.options.restart_after = 4;
  EvolutionResult result;
  std::int64_t restarts = 0;
  for (const EvolutionEvent& event : events_of(evolution, result)) {
    if (std::holds_alternative<IslandRestarted>(event)) ++restarts;
  }
  EXPECT_EQ(restarts, result.counts.restarts);
  EXPECT_EQ(restarts, 3);  // 1 + 4 generations each, of 20.
}

TEST(EvolutionResult, HasAHistoryThatLeadsToIt) {
  Evolution evolution = example_task_named("xor").value().make(2);
  const EvolutionResult result = evolution.run();
  ASSERT_FALSE(result.history.empty());
  EXPECT_EQ(result.history.front().mutation, "begin");
  EXPECT_EQ(result.history.front().evaluations, 1);
  const GrowthRecord& last = result.history.back();
  EXPECT_EQ(last.loss, result.loss);
  EXPECT_EQ(last.score, result.score);
  EXPECT_EQ(last.hidden_nodes, result.network.hidden_count());
  EXPECT_EQ(last.edges, result.network.forward_edge_count());
  EXPECT_EQ(last.recurrent_edges, result.network.recurrent_edge_count());
  EXPECT_EQ(last.generation, result.counts.generations);
  for (std::size_t i = 1; i < result.history.size(); ++i) {
    EXPECT_GE(result.history[i].generation, result.history[i - 1].generation);
    EXPECT_GE(result.history[i].evaluations, result.history[i - 1].evaluations);
  }
}

// ---- Tasks that misbehave.

TEST(Evolution, ALossThatIsNeverANumberEndsByTheBudget) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = [](const Network&) { return kNan; };
    task.score = [](Rng&) { return 1.0; };
    EvolutionResult result;
    const auto events = events_of(evolution_of(task, strategy), result);
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.counts.generations, 20);
    EXPECT_EQ(result.counts.dropped, result.counts.evaluations);
    EXPECT_EQ(result.counts.dropped,
              std::ranges::count_if(events, [](const EvolutionEvent& event) {
                return std::holds_alternative<CandidateDropped>(event);
              }));
    EXPECT_FALSE(std::isfinite(result.loss));
    result.network.check();
    EXPECT_TRUE(result.history.empty());
  }
}

TEST(Evolution, AFewLossesThatAreNoNumbersDoNoHarm) {
  GivenTask task;
  const auto calls = std::make_shared<std::atomic<int>>(0);
  task.loss = [calls](const Network& network) {
    return (*calls)++ % 3 == 0 ? kNan : loss_by_size(network);
  };
  const EvolutionResult result = evolution_of(task).run();
  EXPECT_EQ(result.counts.dropped, 7);
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_LT(result.loss, loss_by_size(minimal_network(2, 1)));
}

TEST(Evolution, AScoreThatIsNotANumberReachesNoTarget) {
  for (const bool deterministic : {true, false}) {
    GivenTask task;
    task.deterministic = deterministic;
    task.score = [](Rng&) { return kNan; };
    const EvolutionResult result = evolution_of(task).run();
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.score, -kInfinity);
  }
}

TEST(Evolution, WhatATaskThrowsArrivesAtTheCaller) {
  for (const std::size_t threads : {1u, 4u}) {
    for (const int when : {1, 5}) {
      GivenTask task;
      const auto calls = std::make_shared<std::atomic<int>>(0);
      task.loss = [calls, when](const Network&) -> double {
        if (++*calls >= when) throw std::runtime_error("no more");
        return 1;
      };
      Evolution evolution = evolution_of(task);
      evolution.options.islands = 3;
      evolution.options.brood = 4;
      evolution.options.threads = threads;
      EXPECT_THROW(evolution.run(), std::runtime_error);
    }
  }
}

TEST(Evolution, TheLowestOfSeveralScoresCountsIfTheyDiffer) {
  GivenTask task;
  task.deterministic = false;
  const auto calls = std::make_shared<int>(0);
  task.score = [calls](Rng&) {
    return std::array{0.99, 0.3, 0.7}[static_cast<std::size_t>((*calls)++ % 3)];
  };
  Evolution evolution = evolution_of(task);
  evolution.options.budget = {.generations = 1};
  EXPECT_EQ(evolution.run().score, 0.3);
  EXPECT_EQ(*calls, 3);
  evolution.options.eval_runs = 0;
  *calls = 0;
  EXPECT_EQ(evolution.run().score, 0.99);
}

TEST(Evolution, ScoresOfOneNetworkAreDrawnFromDifferentChance) {
  GivenTask task;
  task.deterministic = false;
  const auto drawn = std::make_shared<std::set<double>>();
  task.score = [drawn](Rng& rng) {
    drawn->insert(rng.uniform());
    return 0.0;
  };
  Evolution evolution = evolution_of(task);
  evolution.options.budget = {.generations = 2};
  evolution.run();
  EXPECT_EQ(drawn->size(), 6u);
}

TEST(Evolution, TopologiesThatWereTriedTooOftenAreDrawnAgain) {
  Evolution evolution = evolution_of({}, "hill_climb");
  evolution.options.repeats = 1;
  evolution.options.restart_after = 0;
  // One way to change it, and nothing is ever better.
  evolution.options.mutations = {
      {"add_node", 1}, {"add_edge", 0}, {"remove_edge", 0}, {"remove_node", 0}};
  const EvolutionResult result = evolution.run();
  EXPECT_GT(result.counts.repeated, 0);
  EXPECT_EQ(result.counts.evaluations, 20);
  evolution.options.repeats = 1000;
  EXPECT_EQ(evolution.run().counts.repeated, 0);
}

TEST(Evolution, BadOptionsAreRefused) {
  const auto expect_refused = [](auto change) {
    Evolution evolution = evolution_of({});
    change(evolution.options);
    EXPECT_THROW(evolution.run(), LogicError);
  };
  expect_refused([](auto& options) { options.patience = 0; });
  expect_refused([](auto& options) { options.loss_tolerance = -1; });
  expect_refused([](auto& options) { options.grad_tolerance = kNan; });
  expect_refused([](auto& options) { options.budget.seconds = -1; });
  expect_refused([](auto& options) { options.budget.generations = -1; });
  expect_refused([](auto& options) { options.limits.activations = {}; });
  expect_refused([](auto& options) { options.mutations = {{"magic", 1}}; });
  expect_refused([](auto& options) { options.mutations = {{"add_node", -1}}; });
  expect_refused([](auto& options) {
    options.mutations = {{"add_node", kInfinity}};
  });
  expect_refused([](auto& options) { options.strategy = "climb_hill"; });
  EXPECT_THROW(Evolution{.graph = minimal_network(1, 1)}.run(), LogicError);
  EXPECT_THROW((MultiEvolution{.graphs = {}}.run()), LogicError);
}

TEST(Evolution, WithoutAMutationItGoesOnWithCopies) {
  Evolution evolution = evolution_of({});
  for (const Mutation& mutation : mutation_table()) {
    evolution.options.mutations[std::string(mutation.name)] = 0;
  }
  const EvolutionResult result = evolution.run();
  EXPECT_EQ(result.counts.generations, 20);
  EXPECT_EQ(result.network.hidden_count(), 0u);
}

}  // namespace
}  // namespace lamarck::evolution
