// The routes of evolved skills.

#include <array>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kSkillData =
    R"({"$ref": "#/components/schemas/Skill"})";

Result<Json> skill_data(Result<skills::Skill> skill) {
  if (!skill) return skill.error();
  return to_json(*skill);
}

Result<Json> list_skills(const RouteCall& call) {
  skills::SkillFilter filter;
  if (const std::string status = get_text(call.query, "status");
      !status.empty()) {
    ASSIGN_OR_RETURN(filter.status, skills::parse_skill_status(status));
  }
  if (const std::string agent = get_text(call.query, "agent_id");
      !agent.empty()) {
    // An agent of another organization is not found, as everywhere.
    ASSIGN_OR_RETURN(const skills::AgentRecord found,
                     call.store().agent(call.org(), agent));
    filter.agent_id = found.id;
  }
  filter.cursor = get_text(call.query, "cursor");
  filter.limit = limit_of(call);
  ASSIGN_OR_RETURN(const skills::SkillPage page,
                   call.store().skills(call.org(), filter));
  Json data = items_json(page.skills);
  data["next_cursor"] =
      page.next_cursor.empty() ? Json() : Json(page.next_cursor);
  return data;
}

Result<Json> show_skill(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::Skill skill,
                   call.store().skill(call.org(), call.id()));
  ASSIGN_OR_RETURN(const skills::SkillLift lift,
                   call.service.library().lift(call.org(), skill.id));
  Json data = to_json(skill);
  data["lift"] = to_json(lift);
  return data;
}

Result<Json> search_skills(const RouteCall& call) {
  std::string agent_id;
  if (const std::string agent = get_text(call.body, "agent_id");
      !agent.empty()) {
    ASSIGN_OR_RETURN(const skills::AgentRecord found,
                     call.store().agent(call.org(), agent));
    agent_id = found.id;
  }
  ASSIGN_OR_RETURN(
      const skills::SkillMatches found,
      call.service.library().search(
          call.org(), agent_id, get_text(call.body, "task"),
          static_cast<std::size_t>(get_count(call.body, "limit", 5)),
          call.cancel));
  Json items = Json::array();
  for (const skills::SkillMatch& match : found.matches) {
    items.push_back({{"skill", to_json(match.skill)},
                     {"score", match.score},
                     {"similarity", match.similarity},
                     {"success_bound", match.success_bound},
                     {"suggested_arguments", match.suggested_arguments}});
  }
  return Json{{"items", std::move(items)},
              {"reason", found.matches.empty() ? Json(found.reason) : Json()}};
}

Result<Json> review_skill(const RouteCall& call) {
  return skill_data(call.store().review(
      call.org(), call.id(), get_text(call.body, "action") == "approve",
      call.caller.name, get_text(call.body, "comment")));
}

Result<Json> deprecate_skill(const RouteCall& call) {
  return skill_data(call.store().deprecate(
      call.org(), call.id(), "Deprecated by " + call.caller.name + "."));
}

Result<Json> promote_skill(const RouteCall& call) {
  return skill_data(
      call.store().promote(call.org(), call.id(), call.caller.name));
}

Result<Json> share_skill(const RouteCall& call) {
  return skill_data(call.store().share(call.org(), call.id(),
                                       get_flag(call.body, "is_shared")));
}

Result<Json> list_versions(const RouteCall& call) {
  ASSIGN_OR_RETURN(const auto versions,
                   call.store().versions(call.org(), call.id()));
  return items_json(versions);
}

Result<Json> roll_back_skill(const RouteCall& call) {
  return skill_data(call.store().roll_back(call.org(), call.id(),
                                           get_count(call.body, "version", 0)));
}

constexpr std::array kSkillRoutes = {
    Route{.method = "GET",
          .path = "/evolved-skills",
          .operation = "list_skills",
          .summary = "List skills, newest first.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "status": {"type": "string", "enum": ["pending_review",
                "approved", "rejected", "auto_approved", "deprecated"],
                "description": "Only skills with this status."},
              "agent_id": {"type": "string", "minLength": 1, "maxLength": 200,
                "description": "Only skills of this agent (id or name)."},
              "limit": {"type": "integer", "minimum": 1, "maximum": 100,
                "default": 20, "description": "Skills per page."},
              "cursor": {"type": "string", "maxLength": 500,
                "description": "next_cursor of the previous page."}}})",
          .response = R"({"$ref": "#/components/schemas/SkillPage"})",
          .is_cached = true,
          .handle = list_skills},
    Route{.method = "POST",
          .path = "/evolved-skills/search",
          .operation = "search_skills",
          .summary = "Find approved skills that fit a task, or none.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["task"], "properties": {
              "task": {"type": "string", "minLength": 1, "maxLength": 20000},
              "agent_id": {"type": "string", "maxLength": 200},
              "limit": {"type": "integer", "minimum": 1, "maximum": 20}}})",
          .response = R"({"$ref": "#/components/schemas/SkillMatches"})",
          .handle = search_skills},
    Route{.method = "GET",
          .path = "/evolved-skills/{id}",
          .operation = "show_skill",
          .summary = "Show a skill with its statistics and measured lift.",
          .response = kSkillData,
          .is_cached = true,
          .handle = show_skill},
    Route{.method = "POST",
          .path = "/evolved-skills/{id}/review",
          .operation = "review_skill",
          .summary = "Approve or reject a skill.",
          .role = Role::Reviewer,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["action"], "properties": {
              "action": {"type": "string", "enum": ["approve", "reject"]},
              "comment": {"type": "string", "maxLength": 4000}}})",
          .response = kSkillData,
          .handle = review_skill},
    Route{.method = "DELETE",
          .path = "/evolved-skills/{id}",
          .operation = "deprecate_skill",
          .summary = "Deprecate a skill; review can bring it back.",
          .role = Role::Reviewer,
          .response = kSkillData,
          .handle = deprecate_skill},
    Route{.method = "POST",
          .path = "/evolved-skills/{id}/promote",
          .operation = "promote_skill",
          .summary = "Make an approved skill a regular one.",
          .role = Role::Reviewer,
          .response = kSkillData,
          .handle = promote_skill},
    Route{.method = "POST",
          .path = "/evolved-skills/{id}/share",
          .operation = "share_skill",
          .summary = "Offer a skill to all agents of the organization, or not.",
          .role = Role::Reviewer,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["is_shared"],
            "properties": {"is_shared": {"type": "boolean"}}})",
          .response = kSkillData,
          .handle = share_skill},
    Route{.method = "GET",
          .path = "/evolved-skills/{id}/versions",
          .operation = "list_versions",
          .summary = "List the versions of a skill.",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Skill"}}}})",
          .handle = list_versions},
    Route{.method = "POST",
          .path = "/evolved-skills/{id}/rollback",
          .operation = "roll_back_skill",
          .summary = "Make the definition of an old version the newest one.",
          .role = Role::Reviewer,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["version"],
            "properties": {"version": {"type": "integer", "minimum": 1}}})",
          .response = kSkillData,
          .handle = roll_back_skill},
};

}  // namespace

std::span<const Route> skill_routes() { return kSkillRoutes; }

}  // namespace lamarck::server
