#include "lamarck/evolution/advantages.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lamarck::evolution {
namespace {

Episode make_episode(std::vector<double> rewards) {
  Episode episode;
  episode.rewards = std::move(rewards);
  return episode;
}

TEST(Advantages, ComparesReturnsWithMeanOverEpisodes) {
  const Advantages advantages = compute_advantages(
      {make_episode({1, 2, 4}), make_episode({3})}, /*discount=*/0.5);

  ASSERT_EQ(advantages.size(), 2u);
  // The returns 1 + 2 / 2 + 4 / 4 and 3 have the mean 3. At later steps the
  // second episode counts as 0.
  EXPECT_EQ(advantages[0], (std::vector<double>{0, 2, 2}));
  EXPECT_EQ(advantages[1], (std::vector<double>{0}));
}

TEST(Advantages, ComparesEachStepWithCriticEstimate) {
  const std::vector<std::vector<double>> guesses = {{2, 4, 8}};
  const Advantages blind =
      compute_advantages({make_episode({1, 1})}, guesses, 0.5, 0);
  const Advantages whole =
      compute_advantages({make_episode({1, 1})}, guesses, 0.5, 1);

  EXPECT_EQ(blind[0], (std::vector<double>{1, 1}));
  // With full trust, the discounted return minus the guess.
  EXPECT_EQ(whole[0], (std::vector<double>{1 + 0.5 + 0.25 * 8 - 2, 1}));
}

TEST(Advantages, StandardizesOverAllSteps) {
  Advantages advantages = {{1, 3}, {5, 7}};
  standardize(advantages);

  EXPECT_NEAR(advantages[0][0], -3 / std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(advantages[1][1], 3 / std::sqrt(5.0), 1e-6);
}

TEST(Advantages, EqualAdvantagesBecomeZero) {
  Advantages advantages = {{2, 2}, {2}};
  standardize(advantages);

  EXPECT_EQ(advantages, (Advantages{{0, 0}, {0}}));
}

}  // namespace
}  // namespace lamarck::evolution
