#include "lamarck/archipelago/journal_fold.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

class JournalFoldTest : public testing::Test {
 protected:
  JournalFoldTest()
      : fold_(engine_, {read_toy, std::make_shared<ToyEvaluator>()}) {}

  static Json run_line() {
    RunRecord run{.engine = "toy", .fingerprint = "f"};
    run.options.num_islands = 2;
    return to_json(run);
  }
  static Json first_line(std::uint64_t id, std::int64_t number) {
    const FunctionPtr fn = toy_function(number);
    fn->set_id(id);
    return to_json(FirstRecord{fn});
  }
  static Json function_line(std::uint64_t id, std::int64_t number, Gain gain) {
    const FunctionPtr fn = ToyEngine::child(number);
    fn->set_id(id);
    fn->evaluate();
    return to_json(
        FunctionRecord{.cycle = 1, .island = 0, .fn = fn, .gain = gain});
  }

  void apply(const Json& line) {
    const auto outcome = fold_.apply(line);
    ASSERT_TRUE(outcome) << outcome.error().message();
  }
  // The message of the error, "" without one.
  std::string refused(const Json& line) {
    const auto outcome = fold_.apply(line);
    if (outcome) return "";
    EXPECT_EQ(outcome.error().code(), ErrorCode::DataDamaged);
    return outcome.error().message();
  }

  ToyEngine engine_;
  JournalFold fold_;
};

constexpr Gain kBest{.is_island_best = true, .is_best = true};

TEST_F(JournalFoldTest, RebuildsTheState) {
  apply(run_line());
  apply(first_line(1, 100));
  apply(function_line(2, 900, kBest));
  apply(to_json(CycleRecord{.cycle = 1, .evaluations = 2, .best = 2}));
  ASSERT_TRUE(fold_.end());
  const auto state = fold_.take_state();
  EXPECT_EQ(toy_number(*state->best()), 900);
  EXPECT_EQ(state->counts().cycles, 1u);
  EXPECT_EQ(state->counts().evaluations, 2);
  EXPECT_EQ(toy_number(*state->island(1).best_fn()), 100);
}

TEST_F(JournalFoldTest, FirstLineMustDescribeTheRun) {
  EXPECT_NE(refused(first_line(1, 100)), "");
  EXPECT_FALSE(fold_.run());
  EXPECT_FALSE(fold_.end());
  EXPECT_THROW(fold_.take_state(), LogicError);
}

TEST_F(JournalFoldTest, RejectsWhatDisagreesWithEarlierLines) {
  apply(run_line());
  EXPECT_EQ(refused(first_line(5, 100)),
            "The id of the function must be 1, got 5.");
  apply(first_line(1, 100));
  EXPECT_EQ(refused(function_line(3, 900, kBest)),
            "The id of the function must be 2, got 3.");
  EXPECT_EQ(refused(function_line(2, 900, Gain())),
            "Function 2 was recorded as no improvement, but the replay finds "
            "the best of the run.");
  EXPECT_EQ(refused(first_line(3, 100)),
            "The event 'first' must come before all cycles.");
}

TEST_F(JournalFoldTest, RejectsWrongCyclesIslandsAndParents) {
  apply(run_line());
  apply(first_line(1, 100));
  Json line = function_line(2, 900, kBest);
  line["cycle"] = 2;
  EXPECT_EQ(refused(line), "The cycle must be 1, got 2.");
  line["cycle"] = 1;
  line["island"] = 2;
  EXPECT_EQ(refused(line), "The island must be less than 2, got 2.");
  line["island"] = 0;
  line["parents"] = {2};
  EXPECT_EQ(refused(line),
            "Function 2 has the parent 2, which does not exist yet.");
  EXPECT_NE(
      refused(to_json(CycleRecord{.cycle = 1, .evaluations = 9, .best = 1})),
      "");
}

TEST_F(JournalFoldTest, ResetMustBeTheOneThatTheSeedDraws) {
  apply(run_line());
  apply(first_line(1, 100));
  apply(first_line(2, 900));
  apply(to_json(CycleRecord{.cycle = 1, .evaluations = 2, .best = 2}));
  EXPECT_NE(refused(to_json(ResetRecord{
                .cycle = 1, .reset = {.removed = {1}, .founders = {1}}})),
            "");
  apply(to_json(
      ResetRecord{.cycle = 1, .reset = {.removed = {0}, .founders = {2}}}));
  ASSERT_TRUE(fold_.end());
  EXPECT_EQ(toy_number(*fold_.take_state()->island(0).best_fn()), 900);
}

TEST_F(JournalFoldTest, NeedsAFirstFunctionWithoutFailure) {
  apply(run_line());
  apply(first_line(1, 107));
  EXPECT_FALSE(fold_.end());
}

TEST_F(JournalFoldTest, RejectsUnknownEvents) {
  apply(run_line());
  apply(first_line(1, 100));
  EXPECT_EQ(refused({{"event", "party"}}),
            "Unknown event 'party' in the journal.");
}

}  // namespace
}  // namespace lamarck::archipelago
