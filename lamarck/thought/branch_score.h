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

// 0.4 completeness + 0.3 (1 - risk) + 0.2 (1 - min(cost / 2000, 1))
// + 0.1 history.
double reward_of(const BranchScore& score);

// More than 90 % of the tokens or the time are used.
bool is_budget_nearly_used(double token_share, double time_share);
// Complete, with a risk below 0.2: take it.
bool is_good_enough(const BranchScore& score);
// Two or more whose rewards vary by less than 0.1: choosing more is vain.
bool have_converged(std::span<const BranchScore> scores,
                    double threshold = 0.1);

}  // namespace lamarck::thought
