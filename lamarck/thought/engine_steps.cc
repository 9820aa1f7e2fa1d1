#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/thought/internal/causality.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought {
namespace {

using internal::RequestDigest;
using internal::Turn;

constexpr std::array<std::string_view, 4> kRoles = {"planner", "critic",
                                                    "tester", "decider"};
constexpr std::array<std::string_view, 4> kEdgeTypes = {
    "causes", "refines", "contradicts", "supports"};

Result<void> check_word(std::string_view word, std::string_view what,
                        const std::array<std::string_view, 4>& known) {
  if (std::ranges::find(known, word) != known.end()) return {};
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Unknown {} {}; use one of {}.", what,
                           in_quotes(word), join_text(known, ", ")));
}

Result<void> check_step(const PlanStep& step) {
  RETURN_IF_ERROR(check_text(step.content, "The step's content"));
  RETURN_IF_ERROR(check_word(step.role, "role", kRoles));
  RETURN_IF_ERROR(check_word(step.edge_type, "edge type", kEdgeTypes));
  if (step.parents.size() > kMaxParents) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("A step must have at most {} parents, got {}.",
                             kMaxParents, step.parents.size()));
  }
  if (step.token_cost >= 0 && step.token_cost <= kMaxTokenBudget) return {};
  return Error(ErrorCode::InvalidArgument,
               fmt::format("token_cost must be between 0 and {}, got {}.",
                           kMaxTokenBudget, step.token_cost));
}

RequestDigest make_request_digest(const PlanStep& step) {
  RequestDigest digest("plan_step");
  digest.add(step.session).add(step.branch).add(step.content).add(step.role);
  digest.add(std::int64_t{step.is_critique}).add_all(step.parents);
  digest.add(step.edge_type).add(step.token_cost);
  digest.add(std::int64_t{step.is_private});
  digest.add(static_cast<std::int64_t>(step.vector_clock.size()));
  for (const auto& [node, count] : step.vector_clock) {
    digest.add(node).add(static_cast<std::int64_t>(count));
  }
  return digest;
}

// A critique of successful evidence is the review that completes the branch.
internal::Moves moves_for(const PlanStep& step, const Branch& branch) {
  const bool is_review = step.is_critique &&
                         branch.last_evidence == "success" &&
                         branch.state == BranchState::EvidenceReceived;
  if (is_review) return {BranchTrigger::UserInput};
  return internal::moves_of_step(branch.state);
}

Result<void> check_parents(store::Journal& journal, const PlanStep& step,
                           const Session& session, const Branch& branch,
                           const Caller& caller) {
  // Without explicit parents the step follows the head of its branch. If that
  // event was pruned, there is no parent left to compare with.
  std::vector<std::string> parents = step.parents;
  if (parents.empty()) {
    if (step.vector_clock.empty()) return {};
    const auto head = journal.event(branch.head);
    const bool is_pruned = !head && head.error().code() == ErrorCode::NotFound;
    if (!is_pruned) parents.push_back(branch.head);
  }
  return internal::check_causality(journal, session, parents, step.vector_clock,
                                   caller.node);
}

Result<Json> decide_step(store::Journal& journal, const PlanStep& step,
                         const Caller& caller, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(step.branch));
  if (is_final(branch->state)) {
    return after(branch->state, BranchTrigger::UserInput, branch->id).error();
  }
  RETURN_IF_ERROR(
      check_parents(journal, step, turn.session(), *branch, caller));
  const std::int64_t cost =
      step.token_cost > 0 ? step.token_cost : estimate_tokens(step.content);
  RETURN_IF_ERROR(turn.check_tokens(cost));
  internal::Draft draft{.type = step.is_critique ? "critique" : "plan_step",
                        .branch = branch->id,
                        .role = step.role,
                        .content = step.content,
                        .moves = moves_for(step, *branch),
                        .token_cost = cost};
  for (const std::string& parent : step.parents) {
    draft.parents.push_back({.from = parent, .type = step.edge_type});
  }
  if (step.parents.empty()) {
    draft.parents.push_back({.from = branch->head, .type = step.edge_type});
  }
  if (!step.vector_clock.empty()) draft.seen = step.vector_clock;
  Json details = Json::object();
  if (step.is_private) details["private"] = true;
  if (branch->state == BranchState::EvidenceReceived && !draft.moves.empty()) {
    details["outcome"] = "success";
  }
  Json answer = {{"branch", branch->id}};
  answer["event"] = turn.add(std::move(draft), std::move(details));
  return answer;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::add_step(const PlanStep& step,
                                              const Caller& caller) {
  RETURN_IF_ERROR(check_step(step));
  return state_->transact(
      step.session, caller, make_request_digest(step), [&](Turn& turn) {
        return decide_step(state_->journal, step, caller, turn);
      });
}

}  // namespace lamarck::thought
