// Tests the events and the history of a run.

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/evolution/example_tasks.h"
#include "lamarck/evolution/internal/given_task.h"

namespace lamarck::evolution {
namespace {

struct EventCounts {
  std::size_t tried = 0;
  std::size_t kept = 0;
  std::size_t rolled_back = 0;
  std::size_t generations = 0;
  std::vector<double> best_losses;
};

EventCounts count_events(const std::vector<EvolutionEvent>& events) {
  EventCounts counts;
  for (const EvolutionEvent& event : events) {
    if (std::holds_alternative<MutationTried>(event)) ++counts.tried;
    if (std::holds_alternative<MutationKept>(event)) ++counts.kept;
    if (std::holds_alternative<MutationRolledBack>(event)) ++counts.rolled_back;
    EXPECT_GE(counts.tried, counts.kept + counts.rolled_back);
    if (const auto* done = std::get_if<GenerationDone>(&event)) {
      ++counts.generations;
      EXPECT_EQ(done->payload.generation,
                static_cast<std::int64_t>(counts.generations));
      EXPECT_EQ(done->payload.best_loss, counts.best_losses.back());
    }
    if (const auto* best = std::get_if<BestImproved>(&event)) {
      counts.best_losses.push_back(best->payload.loss);
    }
    EXPECT_FALSE(std::holds_alternative<Migrated>(event));
  }
  return counts;
}

TEST(EvolutionEvents, ReportEveryChildAndItsFate) {
  for (const char* strategy : kStrategyNames) {
    GivenTask task;
    task.loss = loss_by_size;
    EvolutionResult result;
    const auto events = record_events(make_evolution(task, strategy), result);
    const EventCounts counts = count_events(events);
    EXPECT_EQ(counts.tried,
              static_cast<std::size_t>(result.counts.evaluations - 1 -
                                       result.counts.restarts));
    EXPECT_EQ(counts.tried, counts.kept + counts.rolled_back);
    EXPECT_EQ(counts.generations, 20u);
    EXPECT_TRUE(std::ranges::is_sorted(counts.best_losses, std::greater<>()));
    EXPECT_EQ(counts.best_losses.size(), result.history.size());
    const auto* ended = std::get_if<EvolutionEnded>(&events.back());
    ASSERT_NE(ended, nullptr);
    EXPECT_EQ(ended->payload.reason, "generations");
    EXPECT_FALSE(ended->payload.target_reached);
  }
}

TEST(EvolutionEvents, NameMutationsOfTable) {
  GivenTask task;
  task.loss = loss_by_size;
  EvolutionResult result;
  for (const EvolutionEvent& event :
       record_events(make_evolution(task), result)) {
    if (const auto* tried = std::get_if<MutationTried>(&event)) {
      EXPECT_NE(find_mutation(tried->payload.mutation), nullptr);
      EXPECT_EQ(tried->payload.island, 0u);
    }
  }
}

TEST(EvolutionEvents, ReportMigrationAlongRingOfIslands) {
  GivenTask task;
  task.loss = loss_by_size;
  Evolution evolution = make_evolution(task);
  evolution.options.islands = 3;
  evolution.options.migrate_every = 4;
  EvolutionResult result;
  std::size_t migrations = 0;
  for (const EvolutionEvent& event : record_events(evolution, result)) {
    const auto* migrated = std::get_if<Migrated>(&event);
    if (migrated == nullptr) continue;
    ++migrations;
    EXPECT_EQ(migrated->payload.generation % 4, 0);
    EXPECT_EQ(migrated->payload.to, (migrated->payload.from + 1) % 3);
  }
  EXPECT_EQ(migrations, 5u * 3u);
}

TEST(EvolutionEvents, ReportRestartOfStagnantIsland) {
  Evolution evolution = make_evolution({});
  evolution.options.restart_after = 4;
  EvolutionResult result;
  std::int64_t restarts = 0;
  for (const EvolutionEvent& event : record_events(evolution, result)) {
    if (std::holds_alternative<IslandRestarted>(event)) ++restarts;
  }
  EXPECT_EQ(restarts, result.counts.restarts);
  EXPECT_EQ(restarts, 3);  // Each life takes 1 + 4 of the 20 generations.
}

TEST(EvolutionResult, HistoryLeadsToBestNetwork) {
  Evolution evolution = example_task_named("xor").value().make(2);
  const EvolutionResult result = evolution.run().value();
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

}  // namespace
}  // namespace lamarck::evolution
