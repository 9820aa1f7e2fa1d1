// Scores of branches: how promising a branch is, and when to stop working on
// it.

#pragma once

#include <optional>
#include <span>

namespace lamarck::thought {

struct BranchScore {
  double completeness = 0;     // 0 to 1.
  double risk = 0.5;           // 0 to 1; lower is better.
  double cost = 1000;          // Tokens.
  double history_prior = 0.5;  // 0 to 1.
};

// Weights of the reward; they sum to 1.
struct RewardWeights {
  double completeness = 0.4;
  double risk = 0.3;
  double cost = 0.2;
  double history = 0.1;
};
inline constexpr RewardWeights kRewardWeights;
inline constexpr double kFullCost = 2000;  // Tokens; higher costs score alike.
inline constexpr double kBudgetStop = 0.9;
inline constexpr double kLowRisk = 0.2;
inline constexpr double kConvergedVariance = 0.1;

// 0.4 completeness + 0.3 (1 - risk) + 0.2 (1 - min(cost / 2000, 1))
// + 0.1 history.
double reward_of(const BranchScore& score);

// Returns whether more than 90 % of the tokens or of the time is used.
bool is_budget_nearly_used(double token_share, double time_share);
// Returns whether the plan is complete and its risk is below 0.2, so that
// further search is not worth its cost.
bool is_good_enough(const BranchScore& score);
// Returns whether two or more rewards have a variance below `threshold`, so
// that further rounds would not separate the branches. False for a single
// score.
bool have_converged(std::span<const BranchScore> scores,
                    double threshold = kConvergedVariance);

}  // namespace lamarck::thought
