// Tests runs with tasks that fail or have special requirements.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>
#include <tuple>

#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/given_task.h"

namespace lamarck::evolution {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

TEST(Evolution, EndsByBudgetWhenEveryLossIsNan) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = [](const Network&) { return kNotANumber; };
    task.score = [](Rng&) { return 1.0; };
    EvolutionResult result;
    const auto events = record_events(make_evolution(task, strategy), result);
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

TEST(Evolution, ToleratesOccasionalNanLosses) {
  GivenTask task;
  const auto calls = std::make_shared<std::atomic<int>>(0);
  task.loss = [calls](const Network& network) {
    return (*calls)++ % 3 == 0 ? kNotANumber : loss_by_size(network);
  };
  const EvolutionResult result = make_evolution(task).run().value();
  EXPECT_EQ(result.counts.dropped, 7);
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_LT(result.loss, loss_by_size(minimal_network(2, 1)));
}

TEST(Evolution, NanScoreNeverReachesTarget) {
  for (const bool deterministic : {true, false}) {
    GivenTask task;
    task.deterministic = deterministic;
    task.score = [](Rng&) { return kNotANumber; };
    const EvolutionResult result = make_evolution(task).run().value();
    EXPECT_FALSE(result.target_reached);
    EXPECT_EQ(result.score, -kInfinity);
  }
}

TEST(Evolution, PropagatesExceptionsOfTask) {
  for (const std::size_t threads : {1u, 4u}) {
    for (const int when : {1, 5}) {
      GivenTask task;
      const auto calls = std::make_shared<std::atomic<int>>(0);
      task.loss = [calls, when](const Network&) -> double {
        if (++*calls >= when) throw std::runtime_error("no more");
        return 1;
      };
      Evolution evolution = make_evolution(task);
      evolution.options.islands = 3;
      evolution.options.offspring = 4;
      evolution.options.threads = threads;
      EXPECT_THROW(std::ignore = evolution.run(), std::runtime_error);
    }
  }
}

TEST(Evolution, LowestOfSeveralScoresCounts) {
  GivenTask task;
  task.deterministic = false;
  const auto calls = std::make_shared<int>(0);
  task.score = [calls](Rng&) {
    return std::array{0.99, 0.3, 0.7}[static_cast<std::size_t>((*calls)++ % 3)];
  };
  Evolution evolution = make_evolution(task);
  evolution.options.budget = {.generations = 1};
  EXPECT_EQ(evolution.run().value().score, 0.3);
  EXPECT_EQ(*calls, 3);
  evolution.options.eval_runs = 0;
  *calls = 0;
  EXPECT_EQ(evolution.run().value().score, 0.99);
}

TEST(Evolution, EvaluationsUseDifferentRandomNumbers) {
  GivenTask task;
  task.deterministic = false;
  const auto drawn = std::make_shared<std::set<double>>();
  task.score = [drawn](Rng& rng) {
    drawn->insert(rng.uniform());
    return 0.0;
  };
  Evolution evolution = make_evolution(task);
  evolution.options.budget = {.generations = 2};
  evolution.run().value();
  EXPECT_EQ(drawn->size(), 6u);
}

TEST(Evolution, RedrawsTopologiesTriedTooOften) {
  Evolution evolution = make_evolution({}, "hill_climb");
  evolution.options.repeats = 1;
  evolution.options.restart_after = 0;
  // Only one mutation is possible, and no network is ever better.
  evolution.options.mutations = {
      {"add_node", 1}, {"add_edge", 0}, {"remove_edge", 0}, {"remove_node", 0}};
  const EvolutionResult result = evolution.run().value();
  EXPECT_GT(result.counts.repeated, 0);
  EXPECT_EQ(result.counts.evaluations, 20);
  evolution.options.repeats = 1000;
  EXPECT_EQ(evolution.run().value().counts.repeated, 0);
}

TEST(Evolution, RejectsInvalidOptions) {
  const auto expect_refused = [](auto change) {
    Evolution evolution = make_evolution({});
    change(evolution.options);
    EXPECT_THROW(std::ignore = evolution.run(), LogicError);
  };
  expect_refused([](auto& options) { options.patience = 0; });
  expect_refused([](auto& options) { options.loss_tolerance = -1; });
  expect_refused([](auto& options) { options.grad_tolerance = kNotANumber; });
  expect_refused([](auto& options) { options.budget.seconds = -1; });
  expect_refused([](auto& options) { options.budget.generations = -1; });
  expect_refused([](auto& options) { options.limits.activations = {}; });
  expect_refused([](auto& options) { options.mutations = {{"magic", 1}}; });
  expect_refused([](auto& options) { options.mutations = {{"add_node", -1}}; });
  expect_refused([](auto& options) {
    options.mutations = {{"add_node", kInfinity}};
  });
  expect_refused([](auto& options) { options.strategy = "climb_hill"; });
  EXPECT_THROW(
      (std::ignore = Evolution{.network = minimal_network(1, 1)}.run()),
      LogicError);
  EXPECT_THROW((std::ignore = MultiEvolution{.networks = {}}.run()),
               LogicError);
}

// The loss is the sum of those of both networks.
class PairTask : public TeamTask {
 public:
  TrainingOutcome train_until_converged(
      std::span<Network> networks,
      const LearningContext& /*context*/) const override {
    const double loss = loss_by_size(networks[0]) + loss_by_size(networks[1]);
    return {.loss = loss, .check_loss = loss};
  }
  double evaluate(std::span<const Network> /*networks*/,
                  Rng& /*rng*/) const override {
    return 0;
  }
};

TEST(MultiEvolution, MutatesEachNetwork) {
  const MultiEvolution evolution{
      .networks = {minimal_network(2, 1), minimal_network(3, 2)},
      .task = PairTask(),
      .options = {.budget = {.generations = 20}}};
  const MultiEvolutionResult result = evolution.run().value();
  ASSERT_EQ(result.networks.size(), 2u);
  ASSERT_EQ(result.graphs.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    result.networks[i].check();
    EXPECT_EQ(result.networks[i].input_width(), i + 2);
    EXPECT_GT(result.networks[i].hidden_count(), 0u);
  }
  EXPECT_EQ(result.loss, loss_by_size(result.networks[0]) +
                             loss_by_size(result.networks[1]));
  EXPECT_EQ(
      result.history.back().hidden_nodes,
      result.networks[0].hidden_count() + result.networks[1].hidden_count());
}

TEST(Evolution, ContinuesWithCopiesWhenNoMutationIsPossible) {
  Evolution evolution = make_evolution({});
  for (const Mutation& mutation : mutation_table()) {
    evolution.options.mutations[std::string(mutation.name)] = 0;
  }
  const EvolutionResult result = evolution.run().value();
  EXPECT_EQ(result.counts.generations, 20);
  EXPECT_EQ(result.network.hidden_count(), 0u);
}

}  // namespace
}  // namespace lamarck::evolution
