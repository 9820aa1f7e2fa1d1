#include "lamarck/thought/internal/plan_turn.h"

#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/thought/internal/answers.h"

namespace lamarck::thought::internal {
namespace {

constexpr JsonLimits kPlanLimits{.size_bytes = std::size_t{256} << 10,
                                 .depth = 64};

Result<PlanType> custom_type(const std::string& name,
                             const std::string& schema) {
  ASSIGN_OR_RETURN(const Json json, parse_json(schema, kPlanLimits));
  RETURN_IF_ERROR(schema::JsonSchema::compile(json));
  PlanType type{.name = name, .schema = schema};
  if (!json.is_object() || !json.contains("required")) return type;
  for (const Json& field : json["required"]) {
    type.required_fields.push_back(field.get<std::string>());
  }
  return type;
}

Result<PlanType> registered_type(const Session& session,
                                 const std::string& name) {
  const auto found = session.plan_schemas.find(name);
  if (found != session.plan_schemas.end()) {
    return custom_type(name, found->second);
  }
  std::vector<std::string> known;
  for (const PlanType& type : built_in_plan_types()) known.push_back(type.name);
  for (const auto& [other, schema] : session.plan_schemas) {
    known.push_back(other);
  }
  return Error(ErrorCode::NotFound,
               fmt::format("Unknown plan type {}; use one of {}, or register a "
                           "new type with `schema`.",
                           in_quotes(name), join_text(known, ", ")));
}

// The moves of the validation; an error if the branch does not accept a plan.
Result<Moves> find_moves(const Branch& branch, bool passes) {
  auto moves = moves_to(branch.state, BranchState::Validating);
  if (!moves) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("Branch {} is {} and does not accept a plan; use "
                             "a branch that is init, planning, scoring or "
                             "rejected, or fork a new one with think_branch.",
                             branch.id, branch_state_name(branch.state)),
                 {{"state", std::string(branch_state_name(branch.state))}});
  }
  moves->push_back(passes ? BranchTrigger::ValidatePass
                          : BranchTrigger::ValidateFail);
  return *std::move(moves);
}

std::string verdict(const PlanReview& review, const std::string& plan_type) {
  return fmt::format("{} {}: completeness {:.2f}, risk {:.2f} ({})", plan_type,
                     review.passes ? "passes" : "is rejected",
                     review.completeness.value, review.risk.total,
                     review.risk.level);
}

Json make_details(const PlanOffer& offer, const Json& plan,
                  const PlanReview& review) {
  Json details = {{"plan_type", offer.plan_type}, {"plan", dump_json(plan)}};
  if (!offer.schema.empty()) details["schema"] = offer.schema;
  if (review.risk.level == "high" || review.risk.level == "critical") {
    details["alert"] = {
        {"kind", "risk"},
        {"message",
         fmt::format("The plan of {} has a {} risk of {:.2f}.", offer.branch,
                     review.risk.level, review.risk.total)}};
  }
  return details;
}

std::string add_critique(Turn& turn, const std::string& branch,
                         const std::vector<std::string>& suggestions) {
  const std::string content = suggestions.empty()
                                  ? "The plan is rejected; lower its risk."
                                  : join_text(suggestions, " ");
  return turn.add({.type = "critique",
                   .branch = branch,
                   .role = "critic",
                   .content = content,
                   .is_by_engine = true},
                  {{"suggestions", suggestions}});
}

}  // namespace

Result<PlanType> find_plan_type(const Session& session,
                                const std::string& plan_type,
                                const std::string& schema) {
  for (const PlanType& type : built_in_plan_types()) {
    if (type.name != plan_type) continue;
    if (schema.empty()) return type;
    return Error(ErrorCode::AlreadyExists,
                 fmt::format("The plan type {} is built in; register the "
                             "schema under another name.",
                             plan_type));
  }
  if (schema.empty()) return registered_type(session, plan_type);
  if (plan_type.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "`schema` needs a plan type; set plan_type.");
  }
  return custom_type(plan_type, schema);
}

Result<Json> parse_plan(std::string_view plan) {
  ASSIGN_OR_RETURN(Json json, parse_json(plan, kPlanLimits));
  if (json.is_object()) return json;
  return Error(ErrorCode::InvalidArgument,
               fmt::format("A plan must be a JSON object, got {}.",
                           in_quotes(plan, 60)));
}

Result<Json> add_validation(Turn& turn, const PlanOffer& offer) {
  ASSIGN_OR_RETURN(
      const PlanType type,
      find_plan_type(turn.session(), offer.plan_type, offer.schema));
  ASSIGN_OR_RETURN(const Json plan, parse_plan(offer.plan));
  std::optional<double> failure_rate;
  if (offer.success_rate) failure_rate = 1 - *offer.success_rate;
  ASSIGN_OR_RETURN(const PlanReview review,
                   review_plan(plan, type, failure_rate));
  ASSIGN_OR_RETURN(const Branch* branch, turn.branch(offer.branch));
  ASSIGN_OR_RETURN(Moves moves, find_moves(*branch, review.passes));
  if (offer.token_cost > 0) {
    RETURN_IF_ERROR(turn.check_tokens(offer.token_cost));
  }
  const BranchScore score{
      .completeness = review.completeness.value,
      .risk = review.risk.total,
      .cost = static_cast<double>(branch->tokens + offer.token_cost),
      .history_prior = offer.success_rate.value_or(0.5)};
  Json answer = {{"branch", branch->id},
                 {"passes", review.passes},
                 {"review", to_json(review)},
                 {"score", score_json(score)},
                 {"reward", reward_of(score)}};
  answer["event"] = turn.add({.type = "validate",
                              .branch = branch->id,
                              .role = "tester",
                              .content = verdict(review, offer.plan_type),
                              .moves = std::move(moves),
                              .is_by_engine = offer.is_by_engine,
                              .score = dump_json(score_json(score)),
                              .status = review.passes ? "done" : "rejected",
                              .token_cost = offer.token_cost},
                             make_details(offer, plan, review));
  if (!review.passes) {
    answer["critique"] = add_critique(turn, branch->id, review.suggestions);
  }
  return answer;
}

}  // namespace lamarck::thought::internal
