#include "lamarck/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "lamarck/base/error.h"

namespace lamarck {
namespace {

// Pearson's chi-square statistic in standard deviations from its mean. It has
// mean n and variance 2n for n degrees of freedom, so 6 deviations are no
// chance event.
double chi_square_deviations(const std::vector<std::size_t>& counts,
                             const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = static_cast<double>(counts[i]) - expected[i];
    sum += off * off / expected[i];
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

double normal_share(double low, double high) {
  return 0.5 *
         (std::erf(high / std::sqrt(2.0)) - std::erf(low / std::sqrt(2.0)));
}

// Counts `draws` normal numbers in bins of width 0.25 between -5 and 5 plus
// tails.
double normal_fit(Rng rng, int draws) {
  std::vector<std::size_t> counts(42);
  std::vector<double> expected(42);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double low = i == 0 ? -40 : -5.25 + 0.25 * static_cast<double>(i);
    const double high = i == 41 ? 40 : -5 + 0.25 * static_cast<double>(i);
    expected[i] = normal_share(low, high) * draws;
  }
  for (int i = 0; i < draws; ++i) {
    const double bin = std::floor((rng.normal() + 5.25) * 4);
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0.0, 41.0))];
  }
  return chi_square_deviations(counts, expected);
}

TEST(Rng, SequenceIsStableAcrossVersions) {
  Rng rng(42);
  EXPECT_EQ(rng.bits(), 494585773216162326u);
  EXPECT_EQ(rng.uniform(), 0.94768689484975066);
  EXPECT_EQ(rng.normal(), -0.16259066403422412);
  EXPECT_EQ(rng.below(1000), 82u);
  EXPECT_EQ(rng.split(7).split("weights").bits(), 4655180018682410939u);
}

TEST(Rng, IsXoshiro256PlusPlus) {
  // The generator's published first outputs from the state 1, 2, 3, 4.
  const std::string zeros(15, '0');
  Rng rng = Rng::from_string(std::string(32, '0') + zeros + "1" + zeros + "2" +
                             zeros + "3" + zeros + "4")
                .value();
  EXPECT_EQ(rng.bits(), 41943041u);
  EXPECT_EQ(rng.bits(), 58720359u);
  EXPECT_EQ(rng.bits(), 3588806011781223u);
  EXPECT_EQ(rng.bits(), 3591011842654386u);
  EXPECT_EQ(rng.bits(), 9228616714210784205u);
}

TEST(Rng, SeedsAndKeysGiveDistinctStreams) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    seen.insert(Rng(i).bits());
    seen.insert(Rng(1).split(i).bits());
    seen.insert(Rng(1).split(std::to_string(i)).bits());
    seen.insert(Rng(1).split(i).split(i).bits());
  }
  EXPECT_EQ(seen.size(), 40'000u);
}

TEST(Rng, SplitsDoNotDependOnPriorDraws) {
  Rng fresh(3);
  Rng used(3);
  for (int i = 0; i < 100; ++i) used.bits();
  EXPECT_EQ(fresh.split(5), used.split(5));
}

TEST(Rng, NeighbouringStreamsAreUncorrelated) {
  for (std::uint64_t key = 0; key < 50; ++key) {
    Rng a = Rng(9).split(key);
    Rng b = Rng(9).split(key + 1);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
      sum += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    }
    // Deviation of the mean is (1/12) / sqrt(10,000).
    EXPECT_LT(std::abs(sum / 10'000), 5 * (1.0 / 12) / 100) << "key " << key;
  }
}

TEST(Rng, BelowIsUnbiasedForAnyBound) {
  for (std::uint64_t bound : {1u, 2u, 3u, 7u, 10u, 100u, 257u}) {
    Rng rng(bound);
    std::vector<std::size_t> counts(bound);
    for (int i = 0; i < 100'000; ++i) ++counts[rng.below(bound)];
    if (bound == 1) continue;
    const std::vector<double> expected(bound,
                                       100'000 / static_cast<double>(bound));
    EXPECT_LT(std::abs(chi_square_deviations(counts, expected)), 6) << bound;
  }
}

TEST(Rng, IntegerCoversBothEndsAndFullRange) {
  Rng rng(4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.integer(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(rng.integer(kMin, kMax), rng.integer(kMin, kMax));
  EXPECT_EQ(rng.integer(kMax, kMax), kMax);
}

TEST(Rng, UniformStaysBelowOneAndFillsTheInterval) {
  Rng rng(5);
  std::vector<std::size_t> counts(100);
  for (int i = 0; i < 100'000; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ASSERT_LT(rng.uniform_float(), 1.0f);
    ++counts[static_cast<std::size_t>(x * 100)];
  }
  EXPECT_LT(
      std::abs(chi_square_deviations(counts, std::vector<double>(100, 1000.0))),
      6);
}

TEST(Rng, NormalFitsGaussian) {
  EXPECT_LT(std::abs(normal_fit(Rng(6), 200'000)), 6);
}

TEST(RngSlow, NormalFitsGaussianTailsOnManyStreams) {
  for (std::uint64_t key = 0; key < 8; ++key) {
    EXPECT_LT(std::abs(normal_fit(Rng(60).split(key), 10'000'000)), 6)
        << "key " << key;
  }
}

TEST(Rng, WeightedChoiceFollowsTheWeightsAndNeverDrawsZero) {
  Rng rng(7);
  const std::vector<double> weights = {1, 0, 3, 6, 0};
  std::vector<std::size_t> counts(5);
  for (int i = 0; i < 100'000; ++i) ++counts[rng.weighted_choice(weights)];
  EXPECT_EQ(counts[1] + counts[4], 0u);
  EXPECT_NEAR(static_cast<double>(counts[0]), 10'000, 600);
  EXPECT_NEAR(static_cast<double>(counts[2]), 30'000, 900);
  EXPECT_NEAR(static_cast<double>(counts[3]), 60'000, 1'000);
}

TEST(Rng, WeightedChoiceIsUniformWhenAllWeightsAreZero) {
  Rng rng(8);
  const std::vector<double> weights(4, 0.0);
  std::set<std::size_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(rng.weighted_choice(weights));
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Rng, SoftmaxChoiceSharpensAsTheTemperatureFalls) {
  const std::vector<double> scores = {1.0, 2.0, 3.0};
  double last_share = 0;
  for (double temperature : {100.0, 1.0, 0.3, 0.01}) {
    Rng rng(9);
    int best = 0;
    for (int i = 0; i < 10'000; ++i) {
      best += rng.softmax_choice(scores, temperature) == 2;
    }
    EXPECT_GT(best / 10'000.0, last_share) << temperature;
    last_share = best / 10'000.0;
  }
  EXPECT_EQ(last_share, 1.0);
  EXPECT_EQ(Rng(9).softmax_choice(scores, 0), 2u);
}

TEST(Rng, SoftmaxChoiceHandlesInfiniteAndHugeScores) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Rng rng(10);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rng.softmax_choice(std::vector<double>{-kInf, 1, -kInf}), 1u);
    EXPECT_EQ(rng.softmax_choice(std::vector<double>{1e300, -1e300}), 0u);
    EXPECT_LT(rng.softmax_choice(std::vector<double>{-kInf, -kInf}), 2u);
  }
}

TEST(Rng, ShuffleMakesEveryOrderEquallyLikely) {
  std::vector<std::size_t> counts(6);
  Rng rng(11);
  for (int i = 0; i < 60'000; ++i) {
    std::vector<int> items = {0, 1, 2};
    rng.shuffle(items);
    ++counts[static_cast<std::size_t>(items[0] * 2 + (items[1] > items[2]))];
  }
  EXPECT_LT(
      std::abs(chi_square_deviations(counts, std::vector<double>(6, 1e4))), 6);
}

TEST(Rng, SampleDrawsDistinctIndices) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const auto sample = rng.sample(20, seed % 21);
    EXPECT_EQ(std::set<std::size_t>(sample.begin(), sample.end()).size(),
              seed % 21);
    EXPECT_TRUE(std::ranges::all_of(sample, [](auto i) { return i < 20; }));
  }
}

TEST(Rng, SmallSampleOfHugeRangeIsCheap) {
  Rng rng(1);
  const auto sample = rng.sample(std::size_t{1} << 60, 100);
  EXPECT_EQ(std::set<std::size_t>(sample.begin(), sample.end()).size(), 100u);
}

TEST(Rng, UniformNeverReachesTheUpperEnd) {
  Rng rng(2);
  const double next = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rng.uniform(1.0, next), 1.0);
  EXPECT_TRUE(std::isfinite(rng.uniform(-1e308, 1e308)));
  EXPECT_EQ(rng.uniform(3, 3), 3);
}

TEST(Rng, RestoresExactStateFromText) {
  Rng rng(12);
  for (int i = 0; i < 10; ++i) rng.normal();
  Rng restored = Rng::from_string(rng.to_string()).value();
  EXPECT_EQ(restored.split(1), rng.split(1));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(restored.bits(), rng.bits());
}

TEST(Rng, RejectsDamagedText) {
  const std::string good = Rng(1).to_string();
  EXPECT_FALSE(Rng::from_string(""));
  EXPECT_FALSE(Rng::from_string(good.substr(1)));
  EXPECT_FALSE(Rng::from_string("x" + good.substr(1)));
  EXPECT_FALSE(Rng::from_string(std::string(96, '0')));
  EXPECT_EQ(Rng::from_string("").error().code(), ErrorCode::DataDamaged);
}

TEST(Rng, MisuseThrowsLogicError) {
  Rng rng(13);
  EXPECT_THROW(rng.below(0), LogicError);
  EXPECT_THROW(rng.uniform(2, 1), LogicError);
  EXPECT_THROW(rng.integer(2, 1), LogicError);
  EXPECT_THROW(rng.weighted_choice({}), LogicError);
  EXPECT_THROW(rng.weighted_choice(std::vector<double>{1, -1}), LogicError);
  EXPECT_THROW(rng.softmax_choice(std::vector<double>{std::nan("")}),
               LogicError);
  EXPECT_THROW(rng.sample(2, 3), LogicError);
}

}  // namespace
}  // namespace lamarck
