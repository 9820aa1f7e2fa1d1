#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/advice.h"
#include "lamarck/thought/internal/blank_text.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/plan_turn.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought {
namespace {

using internal::RequestDigest;
using internal::Turn;

Result<void> check_type_name(std::string_view name) {
  if (!internal::is_blank(name) && unicode_length(name) <= kNameCharacters &&
      is_valid_utf8(name)) {
    return {};
  }
  return Error(ErrorCode::InvalidArgument,
               fmt::format("plan_type must be UTF-8 of 1 to {1} characters and "
                           "not blank, got {0}.",
                           in_quotes(name), kNameCharacters));
}

Result<Json> decide_validation(const PlanValidation& plan,
                               std::optional<double> success_rate, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(plan.branch));
  return internal::add_validation(turn,
                                  {.branch = branch->id,
                                   .plan_type = plan.plan_type,
                                   .plan = plan.plan,
                                   .schema = plan.schema,
                                   .success_rate = success_rate,
                                   .token_cost = estimate_tokens(plan.plan)});
}

// What the caller gives counts instead of what was recorded.
Result<std::optional<double>> success_rate_of(const PlanValidation& plan,
                                              const PlanHistory& history,
                                              Clock::WallTime now) {
  if (!plan.context.empty()) {
    ASSIGN_OR_RETURN(const Json context, parse_json(plan.context));
    ASSIGN_OR_RETURN(const auto given, given_success_rate(context));
    if (given) return given;
  }
  ASSIGN_OR_RETURN(const Json json, internal::parse_plan(plan.plan));
  return history.success_rate(traits_of(plan.plan_type, json), now);
}

Error not_exportable(const Branch& branch) {
  const bool takes_plans =
      internal::moves_to(branch.state, BranchState::Validating).has_value();
  return {
      ErrorCode::FailedPrecondition,
      fmt::format("Branch {} is {}, but only a validated plan can be exported; "
                  "{}.",
                  branch.id, branch_state_name(branch.state),
                  takes_plans ? "submit it with think_validate_plan"
                              : "fork a branch for a new plan with "
                                "think_branch"),
      {{"state", std::string(branch_state_name(branch.state))}}};
}

Result<void> check_exportable(const Branch& branch, bool is_doc) {
  const bool is_exportable = branch.state == BranchState::Validated ||
                             branch.state == BranchState::Executing;
  if (!is_exportable) return not_exportable(branch);
  if (internal::is_doc_plan(branch.plan_type) == is_doc) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("The plan of {} has the type {}; export it with {}.",
                           branch.id, branch.plan_type,
                           internal::export_tool(branch.plan_type)));
}

Json plan_with_metadata(const Session& session, const Branch& branch) {
  Json plan = parse_json(branch.plan).value();
  plan["_got_metadata"] = {{"session_id", session.id},
                           {"branch_id", branch.id},
                           {"confidence", reward_of(branch.score)},
                           {"alternatives_explored", session.branches.size()},
                           {"token_cost", branch.tokens}};
  return plan;
}

std::string add_export(Turn& turn, const Branch& branch) {
  return turn.add({.type = "branch",
                   .branch = branch.id,
                   .role = "decider",
                   .content = fmt::format("The {} of {} is exported",
                                          branch.plan_type, branch.name),
                   .moves = {BranchTrigger::UserInput}},
                  {{"exported", true}});
}

Result<Json> decide_export(std::string_view name, bool is_doc, Turn& turn) {
  RETURN_IF_ERROR(turn.check_open());
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(name));
  RETURN_IF_ERROR(check_exportable(*branch, is_doc));
  Json answer = {{"branch", branch->id},
                 {"plan_type", branch->plan_type},
                 {"plan", plan_with_metadata(turn.session(), *branch)}};
  // A client that lost the first answer gets the plan again.
  if (branch->state == BranchState::Executing) {
    answer["repeated"] = true;
  } else {
    answer["event"] = add_export(turn, *branch);
  }
  return answer;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::validate_plan(const PlanValidation& plan,
                                                   const Caller& caller) {
  RETURN_IF_ERROR(check_type_name(plan.plan_type));
  ASSIGN_OR_RETURN(const PlanHistory history, state_->healing.history());
  ASSIGN_OR_RETURN(const std::optional<double> success_rate,
                   success_rate_of(plan, history, state_->clock.wall_time()));
  RequestDigest digest("validate");
  digest.add(plan.session).add(plan.branch).add(plan.plan);
  digest.add(plan.plan_type).add(plan.schema);
  if (!plan.context.empty()) digest.add(plan.context);
  return state_->transact(plan.session, caller, digest, [&](Turn& turn) {
    return decide_validation(plan, success_rate, turn);
  });
}

ThoughtEngine::Answer ThoughtEngine::export_plan(std::string_view session,
                                                 std::string_view branch,
                                                 const Caller& caller) {
  RequestDigest digest("export_plan");
  digest.add(session).add(branch);
  return state_->transact(session, caller, digest, [&](Turn& turn) {
    return decide_export(branch, false, turn);
  });
}

ThoughtEngine::Answer ThoughtEngine::export_doc_plan(std::string_view session,
                                                     std::string_view branch,
                                                     const Caller& caller) {
  RequestDigest digest("export_doc_plan");
  digest.add(session).add(branch);
  return state_->transact(session, caller, digest, [&](Turn& turn) {
    return decide_export(branch, true, turn);
  });
}

}  // namespace lamarck::thought
