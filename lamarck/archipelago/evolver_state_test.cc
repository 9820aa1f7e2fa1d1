#include "lamarck/archipelago/evolver_state.h"

#include <gtest/gtest.h>

#include <string>

#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

// The best possible toy number is 1000.
class EvolverStateTest : public testing::Test {
 protected:
  explicit EvolverStateTest() : state_(options(), engine_) {}

  static EvolverOptions options() {
    EvolverOptions options;
    options.num_islands = 4;
    return options;
  }

  void create(const std::vector<std::int64_t>& numbers) {
    std::vector<FunctionPtr> first;
    for (const std::int64_t number : numbers) {
      first.push_back(toy_function(number));
      state_.add_first(*first.back());
    }
    state_.create_islands(first);
  }

  Gain take(std::int64_t number, std::size_t island,
            EvaluationSource source = EvaluationSource::Fresh,
            bool is_rejected = false) {
    const FunctionPtr fn = toy_function(number);
    state_.assign_id(*fn);
    return state_.take(fn, island, source, is_rejected);
  }

  ToyEngine engine_;
  EvolverState state_;
};

TEST_F(EvolverStateTest, IslandsStartWithTheFirstFunctionsInTurn) {
  create({100, 900});
  ASSERT_EQ(state_.islands().size(), 4u);
  EXPECT_EQ(toy_number(*state_.island(2).best_fn()), 100);
  EXPECT_EQ(toy_number(*state_.island(3).best_fn()), 900);
  EXPECT_EQ(toy_number(*state_.best()), 900);
  EXPECT_EQ(state_.counts().evaluations, 2);
  EXPECT_EQ(state_.next_id(), 3u);
}

TEST_F(EvolverStateTest, ReportsGainOfIslandAndRun) {
  create({500, 900});
  EXPECT_EQ(take(600, 0), (Gain{.is_island_best = true, .is_best = false}));
  EXPECT_EQ(take(950, 0), (Gain{.is_island_best = true, .is_best = true}));
  EXPECT_EQ(take(400, 0), Gain());
  EXPECT_EQ(state_.best_island(), 0u);
  EXPECT_EQ(state_.counts().stored, 3);
}

TEST_F(EvolverStateTest, StoresNeitherDuplicatesNorRejectedNorFailed) {
  create({500});
  EXPECT_EQ(take(900, 0, EvaluationSource::Duplicate), Gain());
  EXPECT_EQ(take(900, 0, EvaluationSource::Fresh, true), Gain());
  EXPECT_EQ(take(907, 0), Gain());
  EXPECT_EQ(toy_number(*state_.best()), 500);
  const EvolverCounts& counts = state_.counts();
  EXPECT_EQ(counts.made, 3);
  EXPECT_EQ(counts.stored, 0);
  EXPECT_EQ(counts.duplicates, 1);
  EXPECT_EQ(counts.rejected, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.reasons.at("it ends in 7"), 1);
  // A duplicate is not evaluated.
  EXPECT_EQ(counts.evaluations, 1 + 2);
}

TEST_F(EvolverStateTest, CountsErrorsAndDuplicatesInARow) {
  create({500});
  state_.take_error("no answer", {.evaluations = 10, .tokens_in = 3});
  state_.take_error("no answer", {});
  EXPECT_EQ(state_.errors_in_row(), 2u);
  EXPECT_EQ(state_.counts().reasons.at("no answer"), 2);
  EXPECT_EQ(state_.counts().evaluations, 1 + 10);
  EXPECT_EQ(state_.counts().cost.tokens_in, 3);
  take(510, 0, EvaluationSource::Duplicate);
  take(510, 0, EvaluationSource::Duplicate);
  EXPECT_EQ(state_.errors_in_row(), 0u);
  EXPECT_EQ(state_.duplicates_in_row(), 2u);
  take(520, 0);
  EXPECT_EQ(state_.duplicates_in_row(), 0u);
}

TEST_F(EvolverStateTest, LimitsTheNumberOfReasons) {
  create({500});
  for (int i = 0; i < 150; ++i) {
    state_.take_error("reason " + std::to_string(i), {});
  }
  EXPECT_EQ(state_.counts().reasons.size(), 101u);
  EXPECT_EQ(state_.counts().reasons.at("other reasons"), 50);
}

TEST_F(EvolverStateTest, ResetReplacesTheWorseHalf) {
  create({100, 900, 200, 800});
  const Reset reset = state_.plan_reset(reset_stream(1, 5));
  EXPECT_EQ(reset.removed, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(state_.plan_reset(reset_stream(1, 5)), reset);
  ASSERT_TRUE(state_.reset(reset));
  for (const auto& island : state_.islands()) {
    EXPECT_GE(toy_number(*island->best_fn()), 800);
  }
  EXPECT_EQ(state_.counts().resets, 1);
  EXPECT_EQ(state_.evaluations_at_reset(), 4);
}

TEST_F(EvolverStateTest, ResetWithUnknownFounderChangesNothing) {
  create({100, 900, 200, 800});
  const auto outcome = state_.reset({.removed = {0, 2}, .founders = {2, 77}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::DataDamaged);
  EXPECT_EQ(toy_number(*state_.island(0).best_fn()), 100);
  EXPECT_EQ(state_.counts().resets, 0);
}

TEST_F(EvolverStateTest, IslandsCannotBeCreatedTwice) {
  EXPECT_THROW(state_.create_islands({}), LogicError);
  create({500});
  EXPECT_THROW(state_.create_islands({toy_function(1)}), LogicError);
}

}  // namespace
}  // namespace lamarck::archipelago
