#include "lamarck/report/chart_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::report {
namespace {

using Labels = std::vector<std::string>;

TEST(NiceTicks, AreRoundNumbersWithinRange) {
  EXPECT_EQ(tick_labels(nice_ticks({0, 1}, 6)),
            Labels({"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(tick_labels(nice_ticks({-3, 4100}, 5)),
            Labels({"0", "1,000", "2,000", "3,000", "4,000"}));
  EXPECT_EQ(tick_labels(nice_ticks({0.913, 0.987}, 5)),
            Labels({"0.92", "0.94", "0.96", "0.98"}));
  EXPECT_EQ(tick_labels(nice_ticks({-1, 1}, 3)), Labels({"-1", "0", "1"}));
}

TEST(NiceTicks, NeverExceedMaximumCount) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const double low = rng.normal() * std::pow(10, rng.integer(-12, 12));
    const double high =
        low + std::abs(low) * std::pow(10, rng.integer(-8, 8)) + 1e-15;
    const auto max_count = static_cast<std::size_t>(rng.integer(2, 12));
    const std::vector<double> ticks = nice_ticks({low, high}, max_count);
    const double margin = (high - low) * 1e-6;
    EXPECT_LE(ticks.size(), max_count) << "seed " << seed;
    for (const double tick : ticks) {
      EXPECT_GE(tick, low - margin) << "seed " << seed;
      EXPECT_LE(tick, high + margin) << "seed " << seed;
    }
    const Labels labels = tick_labels(ticks);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      EXPECT_GT(ticks[i], ticks[i - 1]) << "seed " << seed;
    }
    EXPECT_EQ(labels.size(), ticks.size());
  }
}

TEST(NiceTicks, RejectInvalidRangeAndCount) {
  EXPECT_THROW(nice_ticks({1, 1}, 5), LogicError);
  EXPECT_THROW(nice_ticks({0, std::numeric_limits<double>::infinity()}, 5),
               LogicError);
  EXPECT_THROW(nice_ticks({0, 1}, 1), LogicError);
}

TEST(FiniteRange, IgnoresNonFiniteValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(finite_range({3, nan, -1, std::numeric_limits<double>::infinity()}),
            (Range{-1, 3}));
  EXPECT_EQ(finite_range({}), (Range{0, 1}));
  EXPECT_EQ(finite_range({nan}), (Range{0, 1}));
}

TEST(FiniteRange, AddsSpaceAroundSingleValue) {
  EXPECT_EQ(finite_range({0, 0}), (Range{-0.5, 0.5}));
  const Range around = finite_range({5, 5});
  EXPECT_LT(around.low, 5);
  EXPECT_GT(around.high, 5);
}

TEST(Scale, MapsRangeLinearlyToCoordinates) {
  const Scale scale({10, 20}, 100, 0);
  EXPECT_DOUBLE_EQ(scale.place(10), 100);
  EXPECT_DOUBLE_EQ(scale.place(15), 50);
  EXPECT_TRUE(scale.contains(20));
  EXPECT_FALSE(scale.contains(21));
}

}  // namespace
}  // namespace lamarck::report
