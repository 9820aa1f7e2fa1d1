#include "lamarck/archipelago/evolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

// The functions of every island, in the order of its clusters.
std::vector<std::string> fingerprint(const Evolver& evolver) {
  std::vector<std::string> lines;
  for (const auto& island : evolver.islands()) {
    std::string line;
    for (const auto& [signature, cluster] : island->clusters()) {
      for (const auto& fn : cluster.functions()) {
        line += std::to_string(fn->id()) + ":" + fn->skeleton()->source() + " ";
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(Evolver, ReachesGoal) {
  Evolver evolver(
      {.num_islands = 4, .budget = {.evaluations = 5000}, .goal = 0},
      toy_parts());

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->end, EvolverEnd::Goal) << outcome->reason;
  EXPECT_EQ(toy_number(*outcome->best), 1000);
}

TEST(Evolver, ResultDoesNotDependOnThreadCount) {
  std::vector<std::string> expected;
  for (const std::size_t threads : {1, 2, 8}) {
    Evolver evolver({.num_islands = 7,
                     .num_parallel = threads,
                     .reset_period = {.evaluations = 60},
                     .seed = 5,
                     .max_cycles = 60},
                    toy_parts());
    ASSERT_TRUE(evolver.run());
    if (threads == 1) expected = fingerprint(evolver);
    EXPECT_EQ(fingerprint(evolver), expected) << threads << " threads";
  }
}

TEST(Evolver, DifferentSeedsGiveDifferentResults) {
  std::set<std::vector<std::string>> all;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Evolver evolver({.num_islands = 2, .seed = seed, .max_cycles = 10},
                    toy_parts());
    ASSERT_TRUE(evolver.run());
    all.insert(fingerprint(evolver));
  }

  EXPECT_EQ(all.size(), 5U);
}

TEST(Evolver, UsesExactlyItsEvaluationBudget) {
  for (const std::int64_t limit : {1, 2, 9, 50}) {
    Evolver evolver(
        {.num_islands = 4, .budget = {.evaluations = limit}},
        toy_parts([number = std::make_shared<std::atomic<int>>(1)](
                      const auto& /*parents*/, const auto& /*context*/) {
          return ToyEngine::child(10 * (*number)++);
        }));

    const auto outcome = evolver.run();

    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_EQ(outcome->end, EvolverEnd::Budget);
    EXPECT_EQ(outcome->counts.evaluations, limit);
  }
}

TEST(Evolver, CountsCostsOfEngine) {
  Evolver evolver({.num_islands = 1, .budget = {.tokens = 100}},
                  toy_parts([](const auto& parents, const auto& context) {
                    Rng rng = context.rng;
                    return ToyEngine::child(
                        toy_number(*parents.back()) + rng.integer(1, 1000) * 10,
                        {.evaluations = 4, .tokens_in = 20, .tokens_out = 5});
                  }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Budget);
  EXPECT_EQ(outcome->counts.cycles, 4U);
  EXPECT_EQ(outcome->counts.cost.tokens_in, 80);
  EXPECT_EQ(outcome->counts.evaluations, 1 + 4 * 5);
}

TEST(Evolver, RestartsWorseHalfFromSurvivingIslands) {
  Evolver evolver(
      {.num_islands = 5, .reset_period = {.evaluations = 40}, .max_cycles = 50},
      toy_parts());
  std::vector<std::size_t> removed;
  std::map<std::size_t, int> times;
  evolver.use_profiler([&](const EvolverEvent& event) {
    if (const auto* gone = std::get_if<IslandsRemoved>(&event)) {
      removed = gone->payload;
      EXPECT_EQ(removed.size(), 2U);
      const double best = evolver.islands().at(removed[0])->best_fn()->score();
      EXPECT_LE(best, evolver.best_fn()->score());
    }
    if (const auto* back = std::get_if<IslandsRevived>(&event)) {
      EXPECT_EQ(back->payload, removed);
      for (const std::size_t i : back->payload) {
        EXPECT_EQ(evolver.islands().at(i)->size(), 1U);
        ++times[i];
      }
    }
  });

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_GE(outcome->counts.resets, 3);
  EXPECT_FALSE(times.empty());
}

TEST(Evolver, RestartsFromBestOfAllIfConfigured) {
  Evolver evolver({.num_islands = 4,
                   .reset_period = {.evaluations = 40},
                   .founder = Founder::BestOfAll,
                   .max_cycles = 30},
                  toy_parts());
  int revived = 0;
  evolver.use_profiler([&](const EvolverEvent& event) {
    const auto* back = std::get_if<IslandsRevived>(&event);
    if (back == nullptr) return;
    for (const std::size_t i : back->payload) {
      EXPECT_EQ(evolver.islands().at(i)->best_fn(), evolver.best_fn());
      ++revived;
    }
  });

  ASSERT_TRUE(evolver.run());

  EXPECT_GT(revived, 0);
}

TEST(Evolver, ResetsByTimeIfConfigured) {
  ManualClock clock;
  EvolverParts parts = toy_parts();
  parts.clock = &clock;
  Evolver evolver(
      {.num_islands = 2,
       .reset_period = {.evaluations = {}, .time = std::chrono::seconds(10)},
       .max_cycles = 30},
      std::move(parts));
  evolver.use_profiler([&](const EvolverEvent& event) {
    if (std::holds_alternative<OnCycleEnded>(event)) {
      clock.advance(std::chrono::seconds(1));
    }
  });

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counts.resets, 2);
}

TEST(Evolver, ReportsEachCycleAndEachNewBest) {
  Evolver evolver({.num_islands = 3, .max_cycles = 20}, toy_parts());
  std::vector<std::uint64_t> cycles;
  int improved = 0;
  double best = -1e300;
  evolver.use_profiler([&](const EvolverEvent& event) {
    improved += std::holds_alternative<BestIslandImproved>(event) ? 1 : 0;
    const auto* ended = std::get_if<OnCycleEnded>(&event);
    if (ended == nullptr) return;
    cycles.push_back(ended->payload.cycle);
    EXPECT_EQ(ended->payload.island_scores.size(), 3U);
    EXPECT_GE(ended->payload.best->score(), best);
    best = ended->payload.best->score();
  });

  ASSERT_TRUE(evolver.run());

  EXPECT_EQ(cycles.size(), 20U);
  EXPECT_EQ(cycles.back(), 20U);
  EXPECT_GT(improved, 0);
}

TEST(Evolver, ForwardsEventsOfIslandsClustersAndFunctions) {
  Evolver evolver({.num_islands = 3,
                   .num_parallel = 4,
                   .reset_period = {.evaluations = 20},
                   .max_cycles = 20},
                  toy_parts());
  std::map<std::string_view, int> counts;
  const auto count = [&](const auto& event) { ++counts[event_type(event)]; };
  std::mutex mutex;
  const auto locked = [&](const auto& event) {
    const std::lock_guard lock(mutex);
    count(event);
  };
  evolver.use_island_profiler(locked);
  evolver.use_cluster_profiler(locked);
  evolver.use_function_profiler(locked);

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_GT(counts["on_best_fn_improved"], 0);
  EXPECT_GE(counts["on_fn_selected"], 60);
  EXPECT_EQ(counts["on_evaluate"], counts["on_evaluated"]);
  EXPECT_EQ(counts["on_evaluated"], outcome->counts.evaluations);
}

TEST(Evolver, SurvivesThrowingProfiler) {
  Evolver evolver({.num_islands = 2, .max_cycles = 5}, toy_parts());
  evolver.use_profiler([](const EvolverEvent& /*event*/) {
    throw std::runtime_error("a broken profiler");
  });

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counts.cycles, 5U);
}

TEST(Evolver, DistributesFirstFunctionsOverIslands) {
  EvolverParts parts = toy_parts();
  parts.first = {std::make_shared<ToySkeleton>(7),
                 std::make_shared<ToySkeleton>(500),
                 std::make_shared<ToySkeleton>(900)};
  Evolver evolver({.num_islands = 4, .max_cycles = 0}, std::move(parts));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(toy_number(*outcome->best), 900);
  EXPECT_EQ(toy_number(*evolver.islands()[0]->best_fn()), 500);
  EXPECT_EQ(toy_number(*evolver.islands()[3]->best_fn()), 900);
}

TEST(Evolver, SecondRunContinuesFirst) {
  Evolver whole({.num_islands = 3, .max_cycles = 20}, toy_parts());
  ASSERT_TRUE(whole.run());
  int cycles = 0;
  CancelSource source;
  Evolver halves({.num_islands = 3, .max_cycles = 20}, toy_parts());
  halves.use_profiler([&](const EvolverEvent& event) {
    if (!std::holds_alternative<OnCycleEnded>(event)) return;
    if (++cycles == 10) source.cancel("Half of it is enough.");
  });

  const auto first = halves.run(source.token());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end, EvolverEnd::Cancelled);
  EXPECT_EQ(first->reason, "Half of it is enough.");
  ASSERT_TRUE(halves.run());

  EXPECT_EQ(fingerprint(halves), fingerprint(whole));
}

TEST(Evolver, CanBeStartedStoppedAndWaitedFor) {
  Evolver evolver({.num_islands = 2, .most_duplicates_in_row = 1'000'000'000},
                  toy_parts());
  std::atomic<bool> has_begun = false;
  evolver.use_profiler([&](const EvolverEvent& /*event*/) {
    has_begun = true;
    has_begun.notify_all();
  });

  evolver.start();
  has_begun.wait(false);
  evolver.stop();
  const auto outcome = evolver.wait();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->end, EvolverEnd::Cancelled);
}

TEST(Evolver, CanBeCancelledBeforeStart) {
  Evolver evolver({.num_islands = 2}, toy_parts());
  CancelSource source;
  source.cancel("Never mind.");

  const auto outcome = evolver.run(source.token());

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::Cancelled);
}

TEST(Evolver, StopsOnDestruction) {
  Evolver evolver({.num_islands = 2, .most_duplicates_in_row = 1'000'000'000},
                  toy_parts());
  evolver.start();
}

}  // namespace
}  // namespace lamarck::archipelago
