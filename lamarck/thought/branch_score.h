// How good a branch looks, and when to stop thinking about it.

#pragma once

#include <optional>
#include <span>

namespace lamarck::thought {

struct BranchScore {
  double completeness = 0;     // 0 to 1.
  double risk = 0.5;           // 0 to 1, less is better.
  double cost = 1000;          // Tokens.
  double history_prior = 0.5;  // 0 to 1.
};

// What each part counts in the reward.
struct RewardWeights {
  double completeness = 0.4;
  double risk = 0.3;
  double cost = 0.2;
  double history = 0.1;
};
inline constexpr RewardWeights kRewardWeights;
inline constexpr double kFullCost = 2000;  // Tokens; more are no worse.
inline constexpr double kBudgetStop = 0.9;
inline constexpr double kLowRisk = 0.2;
inline constexpr double kConvergedVariance = 0.1;

// 0.4 completeness + 0.3 (1 - risk) + 0.2 (1 - min(cost / 2000, 1))
// + 0.1 history.
double reward_of(const BranchScore& score);

// More than 90 % of the tokens or the time are used.
bool is_budget_nearly_used(double token_share, double time_share);
// Complete, with a risk below 0.2: take it.
bool is_good_enough(const BranchScore& score);
// Two or more whose rewards have a variance below 0.1: choosing more is vain.
bool have_converged(std::span<const BranchScore> scores,
                    double threshold = kConvergedVariance);

}  // namespace lamarck::thought
