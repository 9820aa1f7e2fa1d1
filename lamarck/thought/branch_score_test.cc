#include "lamarck/thought/branch_score.h"

#include <array>
#include <gtest/gtest.h>

namespace lamarck::thought {
namespace {

TEST(BranchScore, RewardIsTheWeightedSum) {
  EXPECT_DOUBLE_EQ(reward_of({}), 0.15 + 0.1 + 0.05);
  EXPECT_DOUBLE_EQ(
      reward_of({.completeness = 1, .risk = 0, .cost = 0, .history_prior = 1}),
      1.0);
  EXPECT_DOUBLE_EQ(reward_of({.completeness = 0.5,
                              .risk = 0.2,
                              .cost = 500,
                              .history_prior = 0.7}),
                   0.2 + 0.24 + 0.15 + 0.07);
}

TEST(BranchScore, WeightsSumToOne) {
  EXPECT_DOUBLE_EQ(kRewardWeights.completeness + kRewardWeights.risk +
                       kRewardWeights.cost + kRewardWeights.history,
                   1.0);
}

TEST(BranchScore, CostSaturatesAtTwoThousandTokens) {
  EXPECT_DOUBLE_EQ(reward_of({.cost = 2000}), reward_of({.cost = 90'000}));
  EXPECT_GT(reward_of({.cost = 1999}), reward_of({.cost = 2000}));
}

TEST(BranchScore, BudgetIsNearlyUsedAboveNinetyPercent) {
  EXPECT_FALSE(is_budget_nearly_used(0.9, 0.9));
  EXPECT_TRUE(is_budget_nearly_used(0.91, 0));
  EXPECT_TRUE(is_budget_nearly_used(0, 0.91));
}

TEST(BranchScore, IsGoodEnoughWhenCompleteWithLowRisk) {
  EXPECT_TRUE(is_good_enough({.completeness = 1, .risk = 0.19}));
  EXPECT_FALSE(is_good_enough({.completeness = 1, .risk = 0.2}));
  EXPECT_FALSE(is_good_enough({.completeness = 0.99, .risk = 0}));
}

TEST(BranchScore, ConvergesWhenRewardVarianceIsSmall) {
  const std::array<BranchScore, 2> alike = {BranchScore{},
                                            BranchScore{.risk = 0.4}};
  const std::array<BranchScore, 2> far = {
      BranchScore{
          .completeness = 0, .risk = 1, .cost = 2000, .history_prior = 0},
      BranchScore{.completeness = 1, .risk = 0, .cost = 0, .history_prior = 1}};

  EXPECT_TRUE(have_converged(alike));
  EXPECT_FALSE(have_converged(far));  // Their variance is 0.25.
  EXPECT_TRUE(have_converged(far, 0.26));
  EXPECT_FALSE(have_converged(alike, 0));
}

TEST(BranchScore, SingleScoreDoesNotConverge) {
  const std::array<BranchScore, 1> one = {BranchScore{}};

  EXPECT_FALSE(have_converged(one));
  EXPECT_FALSE(have_converged({}));
}

}  // namespace
}  // namespace lamarck::thought
