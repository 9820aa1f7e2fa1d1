#include "lamarck/thought/internal/parallel_choice.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/hash.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::int64_t kMaxFailures = 2;

const Branch& find_branch(const Session& session, const ParallelArm& arm) {
  return session.branches.at(arm.branch);
}

bool is_validated(const Branch& branch) {
  return branch.state == BranchState::Validated;
}

std::vector<const Branch*> find_validated(const Session& session,
                                          const ParallelState& run) {
  std::vector<const Branch*> list;
  for (const ParallelArm& arm : run.arms) {
    const Branch& branch = find_branch(session, arm);
    if (is_validated(branch)) list.push_back(&branch);
  }
  return list;
}

// The branch with the highest reward, the first one on a tie; null if the list
// is empty.
const Branch* find_best(const std::vector<const Branch*>& list) {
  const auto best = std::ranges::max_element(
      list, {}, [](const Branch* branch) { return reward_of(branch->score); });
  return best == list.end() ? nullptr : *best;
}

bool may_think(const Session& session, const ParallelState& run,
               const ParallelArm& arm) {
  const Branch& branch = find_branch(session, arm);
  return is_contender(branch.state) && !is_validated(branch) &&
         arm.request.empty() && arm.failures < kMaxFailures &&
         arm.rounds < run.max_rounds;
}

// All branches are scored, at least one is validated, and their rewards are
// close.
bool has_converged(const Session& session, const ParallelState& run) {
  std::vector<BranchScore> scores;
  for (const ParallelArm& arm : run.arms) {
    const Branch& branch = find_branch(session, arm);
    if (!branch.is_scored) return false;
    scores.push_back(branch.score);
  }
  return !find_validated(session, run).empty() && have_converged(scores);
}

std::vector<std::size_t> bandit_arm(const Session& session,
                                    const ParallelState& run) {
  if (is_anyone_thinking(session, run)) return {};
  Bandit bandit = *run.bandit;
  bool is_open = false;
  for (std::size_t i = 0; i < run.arms.size(); ++i) {
    // The limit of rounds applies to all arms together; the bandit distributes
    // them.
    ParallelArm arm = run.arms[i];
    arm.rounds = 0;
    if (may_think(session, run, arm)) {
      is_open = true;
    } else {
      bandit.retire(i);
    }
  }
  std::int64_t rounds = 0;
  for (const ParallelArm& arm : run.arms) rounds += arm.rounds;
  const auto max = run.max_rounds * static_cast<std::int64_t>(run.arms.size());
  if (!is_open || rounds >= max) return {};
  return {bandit.choose()};
}

double share(double used, double budget) { return used / budget; }

bool is_budget_low(const Session& session,
                   std::chrono::milliseconds time_used) {
  return is_budget_nearly_used(
      share(static_cast<double>(session.tokens_used),
            static_cast<double>(session.budgets.tokens)),
      share(static_cast<double>(time_used.count()),
            static_cast<double>(session.budgets.wall_time.count())));
}

// The plan that most branches agree on wins; among equal vote counts, the
// higher reward decides. A plan is represented by its best branch.
ParallelChoice majority(const std::vector<const Branch*>& validated) {
  std::map<std::string, std::vector<const Branch*>> by_plan;
  for (const Branch* branch : validated) {
    by_plan[sha256_hex(branch->plan)].push_back(branch);
  }
  ParallelChoice choice{.reason = "majority"};
  std::pair<std::size_t, double> best{0, 0};
  for (const Branch* branch : validated) {
    const auto& voters = by_plan[sha256_hex(branch->plan)];
    const Branch* leader = find_best(voters);
    if (leader != branch) continue;
    choice.votes[branch->id] = static_cast<std::int64_t>(voters.size());
    const std::pair<std::size_t, double> votes{voters.size(),
                                               reward_of(branch->score)};
    if (votes <= best && !choice.winner.empty()) continue;
    best = votes;
    choice.winner = branch->id;
  }
  return choice;
}

ParallelChoice first_validated(const std::vector<const Branch*>& validated) {
  const auto first =
      std::ranges::min_element(validated, {}, &Branch::validated);
  return {.winner = (*first)->id, .reason = "first_validated"};
}

}  // namespace

bool is_contender(BranchState state) {
  return state == BranchState::Init || state == BranchState::Planning ||
         state == BranchState::Scoring || state == BranchState::Rejected ||
         state == BranchState::Validated;
}

bool is_awaited(const Session& session, const ParallelArm& arm) {
  return !arm.request.empty() && is_contender(find_branch(session, arm).state);
}

bool is_anyone_thinking(const Session& session, const ParallelState& run) {
  return std::ranges::any_of(run.arms, [&](const ParallelArm& arm) {
    return is_awaited(session, arm);
  });
}

std::vector<std::size_t> arms_to_ask(const Session& session,
                                     const ParallelState& run,
                                     std::chrono::milliseconds time_used) {
  if (is_budget_low(session, time_used)) return {};
  if (run.strategy == Strategy::Bandit) return bandit_arm(session, run);
  if (run.strategy == Strategy::Best && has_converged(session, run)) return {};
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < run.arms.size(); ++i) {
    if (may_think(session, run, run.arms[i])) list.push_back(i);
  }
  return list;
}

std::optional<ParallelChoice> early_choice(const Session& session,
                                           const ParallelState& run) {
  const auto validated = find_validated(session, run);
  if (validated.empty() || run.strategy == Strategy::Vote) return std::nullopt;
  if (run.strategy == Strategy::Race) return first_validated(validated);
  // All replies of a round are compared, so `best` waits for those under way.
  if (run.strategy == Strategy::Best && is_anyone_thinking(session, run)) {
    return std::nullopt;
  }
  const bool is_any_good = std::ranges::any_of(
      validated,
      [](const Branch* branch) { return is_good_enough(branch->score); });
  if (is_any_good) {
    return ParallelChoice{.winner = find_best(validated)->id,
                          .reason = "good_enough"};
  }
  if (run.strategy != Strategy::Bandit || run.max_rounds == 0) {
    return std::nullopt;
  }
  return first_validated(validated);
}

ParallelChoice final_choice(const Session& session, const ParallelState& run) {
  std::vector<const Branch*> candidates = find_validated(session, run);
  const bool needs_validated =
      run.strategy == Strategy::Race || run.strategy == Strategy::Vote;
  if (candidates.empty() && needs_validated) {
    return {.reason = "none_validated"};
  }
  if (run.strategy == Strategy::Vote) return majority(candidates);
  if (run.strategy == Strategy::Race) return first_validated(candidates);
  if (candidates.empty()) {
    for (const ParallelArm& arm : run.arms) {
      const Branch& branch = find_branch(session, arm);
      if (branch.is_scored && is_contender(branch.state)) {
        candidates.push_back(&branch);
      }
    }
  }
  const Branch* best = find_best(candidates);
  if (best == nullptr) return {.reason = "none_scored"};
  return {.winner = best->id, .reason = "highest_reward"};
}

}  // namespace lamarck::thought::internal
