#include "lamarck/cli/evolve/search_limits.h"

#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

using std::chrono::milliseconds;

TEST(SearchLimits, ParsesUnits) {
  const auto limits =
      parse_search_budget({"120s,200000eval", "0.5usd", "1Mtok"}).value();
  EXPECT_EQ(limits.wall_time, milliseconds(120'000));
  EXPECT_EQ(limits.evaluations, 200'000);
  EXPECT_EQ(limits.money_micros, 500'000);
  EXPECT_EQ(limits.tokens, 1'000'000);
}

TEST(SearchLimits, LastLimitOfTypeWins) {
  const auto limits = parse_search_budget({"10s", "2min"}).value();
  EXPECT_EQ(limits.wall_time, milliseconds(120'000));
  EXPECT_FALSE(limits.evaluations.has_value());
}

TEST(SearchLimits, RejectsInvalidLimitsWithSentence) {
  for (const char* text : {"", "5", "eval", "-3s", "0eval", "1.5eval", "3usb",
                           "10s,", "nans", "infs", "1e300s", "5 s"}) {
    const auto limits = parse_search_budget({text});
    ASSERT_FALSE(limits.has_value()) << text;
    EXPECT_EQ(limits.error().code(), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(parse_search_budget({"5parsec"}).error().message(),
            "--budget must be a limit such as 120s, 30min, 200000eval, 5usd or "
            "1Mtok, got '5parsec'.");
}

TEST(SearchLimits, ParsesResetPeriods) {
  const auto none = parse_reset_period({}).value();
  EXPECT_FALSE(none.evaluations || none.time);
  const auto both = parse_reset_period({"2keval,30min"}).value();
  EXPECT_EQ(both.evaluations, 2000);
  EXPECT_EQ(both.time, milliseconds(1'800'000));
  EXPECT_GT(parse_reset_period({"never"}).value().evaluations, 1e18);
  EXPECT_FALSE(parse_reset_period({"3usd"}).has_value());
}

}  // namespace
}  // namespace lamarck::cli
