// Engines, evaluators and confirmations that misbehave.

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/base/log.h"

namespace lamarck::archipelago {
namespace {

using Parents = std::vector<FunctionPtr>;

TEST(EvolverFailures, ThrowingEngineEndsRunWithBestSoFar) {
  Evolver evolver({.num_islands = 4, .max_errors_in_row = 40},
                  toy_parts([](const Parents&,
                               const MutationContext&) -> Result<FunctionPtr> {
                    throw std::runtime_error("never");
                  }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Errors);
  EXPECT_EQ(outcome->counts.errors, 40);
  EXPECT_EQ(outcome->reason,
            "The last 40 mutations of the engine toy all failed. Most frequent "
            "reason: "
            "The engine toy threw: never.");
  EXPECT_EQ(toy_number(*outcome->best), 0);
}

TEST(EvolverFailures, EngineWithoutFunctionsEndsRun) {
  Evolver evolver({.num_islands = 2},
                  toy_parts([](const Parents&, const MutationContext&) {
                    return FunctionPtr();
                  }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Errors);
}

TEST(EvolverFailures, RefusedKeyEndsRunAfterOneCycle) {
  Evolver evolver(
      {.num_islands = 4},
      toy_parts(
          [](const Parents&, const MutationContext&) -> Result<FunctionPtr> {
            return Error(ErrorCode::Unauthenticated, "The key is refused.");
          }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Errors);
  EXPECT_EQ(outcome->reason, "The key is refused.");
  EXPECT_EQ(outcome->counts.errors, 4);
}

TEST(EvolverFailures, CountsCostsOfFailures) {
  Evolver evolver(
      {.num_islands = 1, .budget = {.money_micros = 30}},
      toy_parts([](const Parents&, const MutationContext&) -> MutationResult {
        return {Error(ErrorCode::Unavailable, "The reply has no code."),
                {.tokens_in = 5, .money_micros = 10}};
      }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Budget);
  EXPECT_EQ(outcome->counts.cost.money_micros, 30);
  EXPECT_EQ(outcome->counts.cost.tokens_in, 15);
  EXPECT_EQ(outcome->counts.cost.tokens_out, 0);
}

TEST(EvolverFailures, EngineWithOnlyDuplicatesEndsRun) {
  Evolver evolver({.num_islands = 2, .max_duplicates_in_row = 100},
                  toy_parts([](const Parents&, const MutationContext&) {
                    return ToyEngine::child(5);
                  }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Duplicates);
  EXPECT_EQ(outcome->counts.evaluations, 1 + 2);
}

TEST(EvolverFailures, CountsFailedFunctionsByReasonAndDoesNotStoreThem) {
  Evolver evolver({.num_islands = 2, .max_cycles = 10},
                  toy_parts([](const Parents&, const MutationContext& context) {
                    return ToyEngine::child(
                        static_cast<std::int64_t>(context.cycle) * 10 + 7);
                  }));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counts.failed, 20);
  EXPECT_EQ(outcome->counts.reasons.at("it ends in 7"), 20);
  EXPECT_EQ(evolver.islands()[0]->size(), 1U);
}

TEST(EvolverFailures, FailingFirstFunctionIsAnError) {
  EvolverParts parts = toy_parts();
  parts.first = {std::make_shared<ToySkeleton>(17)};
  Evolver evolver({}, std::move(parts));

  const auto outcome = evolver.run();

  ASSERT_FALSE(outcome);
  EXPECT_EQ(
      outcome.error().message(),
      "The first function cannot be evaluated: it ends in 7. Start with one "
      "that can.");
}

TEST(EvolverFailures, MissingFirstFunctionIsAnError) {
  EvolverParts parts = toy_parts();
  parts.first.clear();
  Evolver evolver({}, std::move(parts));

  EXPECT_FALSE(evolver.run());
}

TEST(EvolverFailures, RejectedFunctionIsNeitherBestNorStored) {
  EvolverParts parts = toy_parts();
  parts.confirm = [](const Function& fn) { return toy_number(fn) <= 200; };
  Evolver evolver({.num_islands = 2, .max_cycles = 200}, std::move(parts));
  int rejected = 0;
  evolver.use_profiler([&](const EvolverEvent& event) {
    rejected += std::holds_alternative<FunctionRejected>(event) ? 1 : 0;
  });

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_LE(toy_number(*outcome->best), 200);
  EXPECT_GT(outcome->counts.rejected, 0);
  EXPECT_EQ(outcome->counts.rejected, rejected);
  for (const auto& island : evolver.islands()) {
    EXPECT_LE(toy_number(*island->best_fn()), 200);
  }
}

TEST(EvolverFailures, ThrowingConfirmationRejects) {
  const LogCapture capture([](LogLevel, std::string_view) {});
  EvolverParts parts = toy_parts();
  parts.confirm = [](const Function& /*fn*/) -> bool {
    throw std::runtime_error("no data");
  };
  Evolver evolver({.num_islands = 1, .max_cycles = 20}, std::move(parts));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(toy_number(*outcome->best), 0);
}

// Waits until the run is cancelled.
Result<FunctionPtr> wait_for_cancel(const Parents& /*parents*/,
                                    const MutationContext& context) {
  while (!context.cancel.wait_for(std::chrono::hours(1))) {
  }
  return Error(ErrorCode::Cancelled, context.cancel.reason());
}

TEST(EvolverFailures, TimeBudgetCancelsMutationsInProgress) {
  Evolver evolver({.num_islands = 3,
                   .num_parallel = 3,
                   .budget = {.wall_time = std::chrono::milliseconds(50)}},
                  toy_parts(wait_for_cancel));

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Budget);
  EXPECT_EQ(outcome->reason, "The time budget of 50 ms is used up.");
  EXPECT_EQ(outcome->counts.errors, 0);
}

TEST(EvolverFailures, StopCancelsMutationsInProgress) {
  std::atomic<bool> has_begun = false;
  Evolver evolver(
      {.num_islands = 2},
      toy_parts([&](const Parents& parents, const MutationContext& context) {
        has_begun = true;
        has_begun.notify_all();
        return wait_for_cancel(parents, context);
      }));
  evolver.start();
  has_begun.wait(false);
  evolver.stop();

  const auto outcome = evolver.wait();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Cancelled);
  EXPECT_EQ(outcome->reason, "The run was asked to stop.");
}

TEST(EvolverFailures, KeepsMutationsFinishedBeforeStop) {
  CancelSource source;
  Evolver evolver(
      {.num_islands = 2, .num_parallel = 1},
      toy_parts([&](const Parents& parents,
                    const MutationContext& context) -> Result<FunctionPtr> {
        if (context.island == 0) return ToyEngine::child(990);
        source.cancel("Enough.");
        return wait_for_cancel(parents, context);
      }));

  const auto outcome = evolver.run(source.token());

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Cancelled);
  EXPECT_EQ(outcome->counts.cycles, 0U);
  EXPECT_EQ(toy_number(*outcome->best), 990);
}

class ThrowingEngine : public ToyEngine {
 public:
  using ToyEngine::ToyEngine;
  void end_cycle(std::uint64_t /*cycle*/) override {
    throw std::runtime_error("odd");
  }
  void learn(const MutationContext& /*context*/, const FunctionPtr& made,
             bool /*improved*/) override {
    EXPECT_TRUE(made->is_evaluated());
    throw std::runtime_error("odd");
  }
};

TEST(EvolverFailures, LogsExceptionOfEngineBetweenCycles) {
  std::atomic<int> lines = 0;
  const LogCapture capture([&](LogLevel, std::string_view) { ++lines; });
  EvolverParts parts = toy_parts();
  parts.engine = std::make_shared<ThrowingEngine>();
  Evolver evolver({.num_islands = 1, .max_cycles = 3}, std::move(parts));

  ASSERT_TRUE(evolver.run());

  EXPECT_EQ(lines, 6);
}

}  // namespace
}  // namespace lamarck::archipelago
