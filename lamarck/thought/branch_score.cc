#include "lamarck/thought/branch_score.h"

#include <algorithm>

namespace lamarck::thought {

double reward_of(const BranchScore& score) {
  const double cost_share = std::min(score.cost / kFullCost, 1.0);
  return kRewardWeights.completeness * score.completeness +
         kRewardWeights.risk * (1 - score.risk) +
         kRewardWeights.cost * (1 - cost_share) +
         kRewardWeights.history * score.history_prior;
}

bool is_budget_nearly_used(double token_share, double time_share) {
  return token_share > kBudgetStop || time_share > kBudgetStop;
}

bool is_good_enough(const BranchScore& score) {
  return score.completeness >= 1 && score.risk < kLowRisk;
}

bool have_converged(std::span<const BranchScore> scores, double threshold) {
  // The variance over all scores, not an estimate from a sample: divides by the
  // count.
  if (scores.size() < 2) return false;
  const auto count = static_cast<double>(scores.size());
  double mean = 0;
  for (const BranchScore& score : scores) mean += reward_of(score) / count;
  double variance = 0;
  for (const BranchScore& score : scores) {
    const double difference = reward_of(score) - mean;
    variance += difference * difference / count;
  }
  return variance < threshold;
}

}  // namespace lamarck::thought
