#include "lamarck/cli/evolve/run_watch.h"

#include <gtest/gtest.h>

#include <sstream>

#include "lamarck/base/text_fixture.h"

namespace lamarck::cli {
namespace {

using std::chrono::seconds;

constexpr bool kResumed = true;

ProgressOptions options() {
  return {.label = "Evolving", .unit = "evaluations"};
}

TEST(RunWatch, MeasuresRateOfNewRunFromZero) {
  ManualClock clock;
  std::ostringstream out;
  RunWatch watch(out, clock, options(), !kResumed);
  clock.advance(seconds(4));
  watch.update(200, "best 1");
  EXPECT_TRUE(watch.has_begun());
  EXPECT_FALSE(watch.is_idle());
  EXPECT_DOUBLE_EQ(watch.seconds(), 4);
  EXPECT_DOUBLE_EQ(watch.steps_per_second(200), 50);
}

TEST(RunWatch, LeavesStepsBeforeResumingOutOfRate) {
  ManualClock clock;
  std::ostringstream out;
  RunWatch watch(out, clock, options(), kResumed);
  EXPECT_TRUE(watch.is_idle());
  watch.update(1000, "best 1");
  EXPECT_FALSE(watch.is_idle());
  clock.advance(seconds(2));
  watch.update(1100, "best 2");
  EXPECT_DOUBLE_EQ(watch.steps_per_second(1100), 50);
}

TEST(RunWatch, TakesStepsBeforeFromBeginAt) {
  ManualClock clock;
  std::ostringstream out;
  RunWatch watch(out, clock, options(), kResumed);
  watch.begin_at(9);
  clock.advance(seconds(2));
  watch.update(10, "best 1");
  EXPECT_DOUBLE_EQ(watch.steps_per_second(10), 0.5);
}

TEST(RunWatch, ResumedRunWithoutUpdateMadeNoSteps) {
  ManualClock clock;
  std::ostringstream out;
  RunWatch watch(out, clock, options(), kResumed);
  clock.advance(seconds(2));
  EXPECT_TRUE(watch.is_idle());
  EXPECT_DOUBLE_EQ(watch.steps_per_second(1000), 0);
}

TEST(RunWatch, ShowsTimeLeftUntilTheEnd) {
  ManualClock clock;
  std::ostringstream out;
  RunWatch watch(out, clock, options(), !kResumed);
  clock.advance(seconds(3));
  watch.update(10, "best 1", 7.0);
  EXPECT_TRUE(contains(out.str(), "7 s left, best 1")) << out.str();
  out.str("");
  watch.update(20, "best 2", -1.0);
  watch.finish();
  EXPECT_TRUE(contains(out.str(), "best 2")) << out.str();
  EXPECT_FALSE(contains(out.str(), "left")) << out.str();
}

TEST(CostRemark, NamesTokensAndMoneyOnlyIfUsed) {
  EXPECT_EQ(cost_remark({}), "");
  EXPECT_EQ(cost_remark({.tokens_in = 1000, .tokens_out = 200}),
            ", 1200 tokens");
  EXPECT_EQ(cost_remark(
                {.tokens_in = 1000, .tokens_out = 200, .money_micros = 13'000}),
            ", 1200 tokens, 0.013 usd");
}

}  // namespace
}  // namespace lamarck::cli
