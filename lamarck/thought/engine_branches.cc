#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/answers.h"
#include "lamarck/thought/internal/blank_text.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought {
namespace {

using internal::RequestDigest;
using internal::Turn;

Error bad_name(std::string_view name, std::string_view why) {
  return {ErrorCode::InvalidArgument,
          fmt::format("Invalid branch name {}: {}", in_quotes(name), why)};
}

Result<void> check_children(const BranchFork& fork) {
  const std::size_t count = fork.children.size();
  if (count == 0 || count > kMaxForked) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("A fork must create between 1 and {} branches, got {}.",
                    kMaxForked, count));
  }
  std::set<std::string_view> names;
  for (const BranchFork::Child& child : fork.children) {
    RETURN_IF_ERROR(
        check_text(child.content, "A branch's first thought", true));
    if (!is_valid_utf8(child.name) ||
        unicode_length(child.name) > kNameCharacters) {
      return bad_name(
          child.name,
          fmt::format("a name must be valid UTF-8 of at most {} characters.",
                      kNameCharacters));
    }
    if (!child.name.empty() && internal::is_blank(child.name)) {
      return bad_name(child.name, "a name must not be only white space.");
    }
    if (!child.name.empty() && !names.insert(child.name).second) {
      return bad_name(child.name,
                      "two new branches have it; give each its own name.");
    }
  }
  return {};
}

// Ids are assigned in order, so a name of this form could become the id of
// another branch.
bool looks_like_id(std::string_view name) {
  constexpr std::string_view kPrefix = "branch_";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::ranges::all_of(name.substr(kPrefix.size()),
                             [](char c) { return c >= '0' && c <= '9'; });
}

Result<void> check_names_new(const BranchFork& fork, const Session& session) {
  std::size_t next = session.branches.size();
  for (const BranchFork::Child& child : fork.children) {
    const std::string own_id = fmt::format("branch_{}", next++);
    if (looks_like_id(child.name) && child.name != own_id) {
      return bad_name(
          child.name,
          fmt::format(
              "it has the form of an id, but this branch gets the id {}.",
              own_id));
    }
    for (const auto& [id, branch] : session.branches) {
      if (child.name != id && child.name != branch.name) continue;
      return Error(ErrorCode::AlreadyExists,
                   fmt::format("Session {} already has a branch {}; choose "
                               "another name.",
                               session.id, in_quotes(child.name)));
    }
  }
  return {};
}

Result<void> check_branches_left(std::size_t wanted, const Session& session) {
  const auto left = session.budgets.branches + 1 -
                    static_cast<std::int64_t>(session.branches.size());
  if (static_cast<std::int64_t>(wanted) <= left) return {};
  return Error(
      ErrorCode::BudgetExceeded,
      fmt::format("This fork needs {} branches, but only {} of {} are left; "
                  "fork fewer, or continue with the existing branches.",
                  wanted, std::max<std::int64_t>(0, left),
                  session.budgets.branches),
      {{"session", session.id}, {"resource", "branches"}});
}

std::string add_child(Turn& turn, const BranchFork::Child& child,
                      const Branch& from) {
  std::string id = fmt::format("branch_{}", turn.session().branches.size());
  const std::string name = child.name.empty() ? id : child.name;
  turn.add({.type = "branch",
            .branch = id,
            .content = child.content.empty() ? name : child.content,
            .parents = {{.from = from.head, .type = "refines"}},
            .status = "open",
            .token_cost = estimate_tokens(child.content)},
           {{"name", name}, {"from", from.id}});
  return id;
}

Result<Json> decide_fork(const BranchFork& fork, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* from, turn.branch(fork.from));
  RETURN_IF_ERROR(check_names_new(fork, turn.session()));
  RETURN_IF_ERROR(check_branches_left(fork.children.size(), turn.session()));
  std::int64_t cost = 0;
  for (const auto& child : fork.children)
    cost += estimate_tokens(child.content);
  RETURN_IF_ERROR(turn.check_tokens(cost));
  Json made = Json::array();
  for (const BranchFork::Child& child : fork.children) {
    const std::string id = add_child(turn, child, *from);
    const Branch& branch = turn.session().branches.at(id);
    made.push_back({{"branch", id},
                    {"name", branch.name},
                    {"state", branch_state_name(branch.state)},
                    {"event", branch.head}});
  }
  return Json{{"branches", std::move(made)},
              {"next_step",
               "Think on each branch with think_plan_step, or on all of them "
               "with think_parallel_run; then submit their plans with "
               "think_validate_plan."}};
}

Result<std::vector<const Branch*>> merged_branches(const BranchMerge& merge,
                                                   const Branch& into,
                                                   const Turn& turn) {
  std::vector<const Branch*> list;
  for (const std::string& name : merge.from) {
    ASSIGN_OR_RETURN(const Branch* branch, turn.branch(name));
    const bool is_twice = std::ranges::find(list, branch) != list.end();
    if (branch == &into || is_twice) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("Branch {} cannot be merged into {}; list every "
                               "other branch at most once.",
                               in_quotes(name), into.id));
    }
    list.push_back(branch);
  }
  return list;
}

// The merged branches become parents of the merge event and then stop.
Result<Json> decide_merge(const BranchMerge& merge, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* into, turn.branch(merge.into));
  if (is_final(into->state)) {
    return after(into->state, BranchTrigger::UserInput, into->id).error();
  }
  ASSIGN_OR_RETURN(const auto from, merged_branches(merge, *into, turn));
  const std::int64_t cost = estimate_tokens(merge.content);
  RETURN_IF_ERROR(turn.check_tokens(cost));
  std::vector<store::Edge> parents = {{.from = into->head}};
  Json ids = Json::array();
  for (const Branch* branch : from) {
    parents.push_back({.from = branch->head, .type = "supports"});
    ids.push_back(branch->id);
  }
  Json answer = {{"branch", into->id}, {"merged", ids}};
  answer["event"] = turn.add({.type = "merge",
                              .branch = into->id,
                              .role = "decider",
                              .content = merge.content,
                              .moves = internal::moves_of_step(into->state),
                              .parents = std::move(parents),
                              .token_cost = cost},
                             {{"merged", ids}});
  for (const Branch* branch : from) {
    turn.stop(branch->id, BranchTrigger::RaceLost, "merged");
  }
  return answer;
}

Result<Json> decide_stop(const BranchStop& stop, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(stop.branch));
  const std::string reason = stop.reason.empty() ? "stopped" : stop.reason;
  if (!turn.stop(branch->id, BranchTrigger::RaceLost, reason)) {
    return after(branch->state, BranchTrigger::RaceLost, branch->id).error();
  }
  return Json{{"branch", branch->id}, {"reason", reason}};
}

Result<void> check_score(const BranchScore& score) {
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  const bool fits = is_share(score.completeness) && is_share(score.risk) &&
                    is_share(score.history_prior) && score.cost >= 0 &&
                    std::isfinite(score.cost);
  if (fits) return {};
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("completeness, risk and history_prior must be between 0 and "
                  "1 and cost must be at least 0, got completeness {}, risk "
                  "{}, history_prior {}, cost {}.",
                  score.completeness, score.risk, score.history_prior,
                  score.cost));
}

Result<Json> decide_score(const BranchScoring& scoring, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(scoring.branch));
  const auto moves = internal::moves_to(branch->state, BranchState::Scoring);
  if (!moves) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("Branch {} is {} and can no longer be scored; score a "
                    "branch that is init, planning, scoring or rejected.",
                    branch->id, branch_state_name(branch->state)),
        {{"state", std::string(branch_state_name(branch->state))}});
  }
  const double reward = reward_of(scoring.score);
  Json answer = {{"branch", branch->id},
                 {"reward", reward},
                 {"is_good_enough", is_good_enough(scoring.score)}};
  answer["event"] = turn.add(
      {.type = "branch",
       .branch = branch->id,
       .role = "critic",
       .content = fmt::format("{} is scored {:.3f}", branch->name, reward),
       .moves = *moves,
       .score = dump_json(internal::score_json(scoring.score))},
      Json::object());
  return answer;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::fork(const BranchFork& fork,
                                          const Caller& caller) {
  RETURN_IF_ERROR(check_children(fork));
  RequestDigest digest("fork");
  digest.add(fork.session).add(fork.from);
  for (const BranchFork::Child& child : fork.children) {
    digest.add(child.name).add(child.content);
  }
  return state_->transact(fork.session, caller, digest,
                          [&](Turn& turn) { return decide_fork(fork, turn); });
}

ThoughtEngine::Answer ThoughtEngine::merge(const BranchMerge& merge,
                                           const Caller& caller) {
  RETURN_IF_ERROR(check_text(merge.content, "The merge's content"));
  if (merge.from.empty() || merge.from.size() > kMaxForked) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format(
            "A merge needs between 1 and {} branches in `from`, got {}.",
            kMaxForked, merge.from.size()));
  }
  RequestDigest digest("merge");
  digest.add(merge.session).add(merge.into).add_all(merge.from);
  digest.add(merge.content);
  return state_->transact(merge.session, caller, digest, [&](Turn& turn) {
    return decide_merge(merge, turn);
  });
}

ThoughtEngine::Answer ThoughtEngine::stop_branch(const BranchStop& stop,
                                                 const Caller& caller) {
  RETURN_IF_ERROR(check_text(stop.reason, "The reason", true));
  RequestDigest digest("stop");
  digest.add(stop.session).add(stop.branch).add(stop.reason);
  return state_->transact(stop.session, caller, digest,
                          [&](Turn& turn) { return decide_stop(stop, turn); });
}

ThoughtEngine::Answer ThoughtEngine::score_branch(const BranchScoring& scoring,
                                                  const Caller& caller) {
  RETURN_IF_ERROR(check_score(scoring.score));
  RequestDigest digest("score");
  digest.add(scoring.session).add(scoring.branch);
  digest.add_number(scoring.score.completeness).add_number(scoring.score.risk);
  digest.add_number(scoring.score.cost).add_number(scoring.score.history_prior);
  return state_->transact(scoring.session, caller, digest, [&](Turn& turn) {
    return decide_score(scoring, turn);
  });
}

}  // namespace lamarck::thought
