#include "lamarck/table/internal/series_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::table {
namespace {

// A weekly pattern with a trend and noise.
std::vector<double> weekly(std::size_t rows, double noise) {
  constexpr double kPattern[] = {0, 3, 5, 4, 8, 12, 2};
  Rng rng(3);
  std::vector<double> series;
  for (std::size_t i = 0; i < rows; ++i) {
    series.push_back(kPattern[i % 7] + 0.1 * static_cast<double>(i) +
                     rng.normal(0, noise));
  }
  return series;
}

TEST(SeriesShape, FindsSeasonOfNoisySeriesWithTrend) {
  EXPECT_EQ(find_season(weekly(200, 1)), 7u);
}

TEST(SeriesShape, FindsNoSeasonInNoiseOrAFewRows) {
  Rng rng(5);
  std::vector<double> walk = {0};
  for (int i = 0; i < 300; ++i) walk.push_back(walk.back() + rng.normal());
  EXPECT_EQ(find_season(walk), 0u);
  EXPECT_EQ(find_season(std::vector<double>(50, 1.0)), 0u);
  EXPECT_EQ(find_season(weekly(10, 0)), 0u);
}

TEST(SeriesShape, ChoosesMoreLagsIfTheyHelp) {
  // Each value repeats the one twelve rows before.
  Rng rng(7);
  std::vector<double> series;
  for (std::size_t i = 0; i < 400; ++i) {
    series.push_back(i < 12 ? rng.normal()
                            : 0.98 * series[i - 12] + 0.1 * rng.normal());
  }
  EXPECT_GE(choose_lags(series, 1, 0), 12u);
  std::vector<double> walk = {0};
  for (int i = 0; i < 400; ++i) walk.push_back(walk.back() + rng.normal());
  EXPECT_EQ(choose_lags(walk, 1, 0), 4u);
}

TEST(SeriesShape, SeasonBeforeIsKnownAtTheRow) {
  EXPECT_EQ(season_before(20, 1, 7), 14);
  EXPECT_EQ(season_before(20, 7, 7), 20);
  EXPECT_EQ(season_before(20, 8, 7), 14);
  EXPECT_EQ(season_before(2, 1, 7), -4);
}

}  // namespace
}  // namespace lamarck::table
