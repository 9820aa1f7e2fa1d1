#include "lamarck/skills/skill.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills {
namespace {

constexpr std::array<std::pair<SkillStatus, std::string_view>, 5> kStatuses = {{
    {SkillStatus::PendingReview, "pending_review"},
    {SkillStatus::Approved, "approved"},
    {SkillStatus::Rejected, "rejected"},
    {SkillStatus::AutoApproved, "auto_approved"},
    {SkillStatus::Deprecated, "deprecated"},
}};

Json time_or_null(const std::optional<Clock::WallTime>& time) {
  return time ? Json(to_iso8601(*time)) : Json();
}

Result<std::vector<std::string>> string_list(const Json& json,
                                             std::string_view field) {
  ASSIGN_OR_RETURN(const Json list,
                   json_field_or<Json>(json, field, Json::array()));
  if (!list.is_array()) {
    return invalid_argument(fmt::format("{} must be a list of texts.", field));
  }
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (!item.is_string()) {
      return invalid_argument(fmt::format("{} must contain only texts, got {}.",
                                          field, one_line(dump_json(item))));
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<Json> container(const Json& json, std::string_view field,
                       const Json& otherwise) {
  ASSIGN_OR_RETURN(Json value, json_field_or<Json>(json, field, otherwise));
  if (value.type() != otherwise.type()) {
    return invalid_argument(
        fmt::format("{} must be {}, got {}.", field,
                    otherwise.is_object() ? "an object" : "a list",
                    one_line(dump_json(value))));
  }
  return value;
}

Result<double> score(const Json& json, std::string_view field) {
  ASSIGN_OR_RETURN(const double value, json_field_or<double>(json, field, 0));
  if (!(value >= 0 && value <= 1)) {
    return invalid_argument(
        fmt::format("{} must be between 0 and 1, got {}.", field, value));
  }
  return value;
}

Result<SkillStep> parse_step(const Json& json) {
  SkillStep step;
  ASSIGN_OR_RETURN(step.action, json_field_or<std::string>(json, "action", ""));
  ASSIGN_OR_RETURN(step.tool, json_field<std::string>(json, "tool"));
  const char* const field =
      json.contains("arguments") ? "arguments" : "params_template";
  ASSIGN_OR_RETURN(step.arguments, container(json, field, Json::object()));
  return step;
}

Result<std::vector<SkillStep>> parse_steps(const Json& json) {
  ASSIGN_OR_RETURN(const Json list, container(json, "steps", Json::array()));
  std::vector<SkillStep> steps;
  for (const Json& item : list) {
    Result<SkillStep> step = parse_step(item);
    if (!step) {
      return step.error().within(fmt::format("steps[{}]", steps.size()));
    }
    steps.push_back(std::move(*step));
  }
  return steps;
}

}  // namespace

std::string_view skill_status_name(SkillStatus status) {
  return kStatuses.at(static_cast<std::size_t>(status)).second;
}

Result<SkillStatus> parse_skill_status(std::string_view name) {
  for (const auto& [status, known] : kStatuses) {
    if (known == name) return status;
  }
  return invalid_argument(
      fmt::format("status must be pending_review, approved, rejected, "
                  "auto_approved or deprecated, got {}.",
                  in_quotes(name)));
}

bool Skill::is_usable() const {
  return !is_disabled && (status == SkillStatus::Approved ||
                          status == SkillStatus::AutoApproved);
}

Json to_json(const SkillDraft& draft) {
  Json steps = Json::array();
  for (const SkillStep& step : draft.steps) {
    steps.push_back({{"order", steps.size() + 1},
                     {"action", step.action},
                     {"tool", step.tool},
                     {"arguments", step.arguments}});
  }
  return {{"name", draft.name},
          {"description", draft.description},
          {"trigger_keywords", draft.trigger_keywords},
          {"steps", std::move(steps)},
          {"tools_used", draft.tools_used},
          {"parameters", draft.parameters},
          {"preconditions", draft.preconditions},
          {"expected_outcome", draft.expected_outcome},
          {"evals", draft.evals},
          {"quality_score", draft.quality_score},
          {"reusability_score", draft.reusability_score}};
}

Json to_json(const Skill& skill) {
  Json json = to_json(skill.definition);
  json.update(Json{
      {"id", skill.id},
      {"org_id", skill.org_id},
      {"agent_id", skill.agent_id},
      {"session_id", skill.session_id},
      {"status", skill_status_name(skill.status)},
      {"version", skill.version},
      {"is_shared", skill.is_shared},
      {"is_disabled", skill.is_disabled},
      {"is_cleanup_candidate", skill.is_cleanup_candidate},
      {"is_promoted", skill.is_promoted},
      {"use_count", skill.use_count},
      {"success_count", skill.success_count},
      {"success_rate", skill.use_count == 0
                           ? Json()
                           : Json(static_cast<double>(skill.success_count) /
                                  static_cast<double>(skill.use_count))},
      {"consecutive_failures", skill.consecutive_failures},
      {"last_used_at", time_or_null(skill.last_used_at)},
      {"reviewed_by",
       skill.reviewed_by.empty() ? Json() : Json(skill.reviewed_by)},
      {"reviewed_at", time_or_null(skill.reviewed_at)},
      {"review_comment", skill.review_comment},
      {"created_at", to_iso8601(skill.created_at)},
      {"updated_at", to_iso8601(skill.updated_at)}});
  return json;
}

Result<SkillDraft> parse_skill_draft(const Json& json) {
  if (!json.is_object()) {
    return invalid_argument("A skill must be a JSON object.");
  }
  SkillDraft draft;
  ASSIGN_OR_RETURN(draft.name, json_field<std::string>(json, "name"));
  ASSIGN_OR_RETURN(draft.description,
                   json_field<std::string>(json, "description"));
  ASSIGN_OR_RETURN(draft.trigger_keywords,
                   string_list(json, "trigger_keywords"));
  ASSIGN_OR_RETURN(draft.steps, parse_steps(json));
  ASSIGN_OR_RETURN(draft.tools_used, string_list(json, "tools_used"));
  if (draft.tools_used.empty()) {
    for (const SkillStep& step : draft.steps) {
      if (std::find(draft.tools_used.begin(), draft.tools_used.end(),
                    step.tool) == draft.tools_used.end()) {
        draft.tools_used.push_back(step.tool);
      }
    }
  }
  ASSIGN_OR_RETURN(draft.parameters,
                   container(json, "parameters", Json::object()));
  ASSIGN_OR_RETURN(draft.preconditions,
                   container(json, "preconditions", Json::object()));
  ASSIGN_OR_RETURN(draft.expected_outcome,
                   json_field_or<std::string>(json, "expected_outcome", ""));
  ASSIGN_OR_RETURN(draft.evals, container(json, "evals", Json::array()));
  ASSIGN_OR_RETURN(draft.quality_score, score(json, "quality_score"));
  ASSIGN_OR_RETURN(draft.reusability_score, score(json, "reusability_score"));
  return draft;
}

}  // namespace lamarck::skills
