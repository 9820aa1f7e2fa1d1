// The routes of uses, tasks, jobs and logs.

#include <array>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kLimitQuery =
    R"({"type": "object", "additionalProperties": false, "properties": {
      "limit": {"type": "integer", "minimum": 1, "maximum": 100,
        "default": 20}}})";

Json task_json(const skills::TaskRecord& task) {
  return {{"agent_id", task.agent_id}, {"session_id", task.session_id},
          {"family", task.family},     {"used_skill", task.used_skill},
          {"success", task.success},   {"steps", task.steps},
          {"tokens", task.tokens},     {"model_calls", task.model_calls}};
}

Result<Json> list_uses(const RouteCall& call) {
  RETURN_IF_ERROR(call.store().skill(call.org(), call.id()));
  ASSIGN_OR_RETURN(const auto uses,
                   call.store().uses(call.org(), call.id(), limit_of(call)));
  return items_json(uses);
}

Result<Json> begin_use(const RouteCall& call) {
  ASSIGN_OR_RETURN(
      const skills::AgentRecord agent,
      call.store().agent(call.org(), get_text(call.body, "agent_id")));
  ASSIGN_OR_RETURN(
      const skills::SkillUse use,
      call.service.library().begin_use(call.org(), agent.id, call.id(),
                                       get_text(call.body, "session_id")));
  return to_json(use);
}

Result<Json> report_use(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::Skill skill,
                   call.service.report_use(call.org(), call.id(),
                                           get_flag(call.body, "success"),
                                           get_count(call.body, "steps", 0),
                                           get_count(call.body, "tokens", 0),
                                           get_text(call.body, "message")));
  return to_json(skill);
}

Result<Json> list_tasks(const RouteCall& call) {
  ASSIGN_OR_RETURN(
      const auto tasks,
      call.store().tasks(call.org(), get_text(call.query, "family"),
                         limit_of(call)));
  Json items = Json::array();
  for (const skills::TaskRecord& task : tasks) items.push_back(task_json(task));
  return Json{{"items", std::move(items)}};
}

Result<Json> record_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(
      const skills::AgentRecord agent,
      call.store().agent(call.org(), get_text(call.body, "agent_id")));
  const std::string family = get_text(call.body, "family");
  if (!family.empty()) {
    RETURN_IF_ERROR(call.store().skill(call.org(), family));
  }
  skills::TaskRecord task;
  task.agent_id = agent.id;
  task.session_id = get_text(call.body, "session_id");
  task.family = family;
  task.used_skill = get_flag(call.body, "used_skill");
  task.success = get_flag(call.body, "success");
  task.steps = get_count(call.body, "steps", 0);
  task.tokens = get_count(call.body, "tokens", 0);
  task.model_calls = get_count(call.body, "model_calls", 0);
  RETURN_IF_ERROR(call.store().record_task(call.org(), task));
  return task_json(task);
}

Result<Json> list_jobs(const RouteCall& call) {
  ASSIGN_OR_RETURN(const auto jobs,
                   call.store().jobs(call.org(), limit_of(call)));
  return items_json(jobs);
}

Result<Json> show_job(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::Job job,
                   call.store().job(call.org(), call.id()));
  return to_json(job);
}

Result<Json> list_logs(const RouteCall& call) {
  ASSIGN_OR_RETURN(
      const auto logs,
      call.store().logs(call.org(), get_text(call.query, "session_id"),
                        limit_of(call)));
  return items_json(logs);
}

constexpr std::array kUseRoutes = {
    Route{.method = "GET",
          .path = "/evolved-skills/{id}/uses",
          .operation = "list_uses",
          .summary = "List when a skill was offered or used, newest first.",
          .query = kLimitQuery,
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/SkillUse"}}}})",
          .handle = list_uses},
    Route{.method = "POST",
          .path = "/evolved-skills/{id}/uses",
          .operation = "begin_use",
          .summary = "Record that an agent starts to use a skill.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["agent_id"], "properties": {
              "agent_id": {"type": "string", "maxLength": 200},
              "session_id": {"type": "string", "maxLength": 200}}})",
          .response = R"({"$ref": "#/components/schemas/SkillUse"})",
          .status = 201,
          .handle = begin_use},
    Route{.method = "POST",
          .path = "/skill-uses/{id}/report",
          .operation = "report_use",
          .summary = "Report how the use of a skill ended.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["success"], "properties": {
              "success": {"type": "boolean"},
              "steps": {"type": "integer", "minimum": 0},
              "tokens": {"type": "integer", "minimum": 0},
              "message": {"type": "string", "maxLength": 4000}}})",
          .response = R"({"$ref": "#/components/schemas/Skill"})",
          .handle = report_use},
    Route{.method = "GET",
          .path = "/tasks",
          .operation = "list_tasks",
          .summary = "List recorded tasks, from which lift is measured.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "family": {"type": "string", "maxLength": 200,
                "description": "Only tasks that this skill fits."},
              "limit": {"type": "integer", "minimum": 1, "maximum": 100,
                "default": 20}}})",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Task"}}}})",
          .handle = list_tasks},
    Route{.method = "POST",
          .path = "/tasks",
          .operation = "record_task",
          .summary = "Record a finished task, solved with or without a skill.",
          .request = R"({"$ref": "#/components/schemas/Task"})",
          .response = R"({"$ref": "#/components/schemas/Task"})",
          .status = 201,
          .handle = record_task},
    Route{.method = "GET",
          .path = "/jobs",
          .operation = "list_jobs",
          .summary = "List background jobs, newest first.",
          .query = kLimitQuery,
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Job"}}}})",
          .handle = list_jobs},
    Route{.method = "GET",
          .path = "/jobs/{id}",
          .operation = "show_job",
          .summary = "Show a background job.",
          .response = R"({"$ref": "#/components/schemas/Job"})",
          .handle = show_job},
    Route{.method = "GET",
          .path = "/evolution-logs",
          .operation = "list_logs",
          .summary = "List the stages of evolutions, newest first.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "session_id": {"type": "string", "maxLength": 200},
              "limit": {"type": "integer", "minimum": 1, "maximum": 100,
                "default": 20}}})",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/EvolutionLog"}}}})",
          .handle = list_logs},
};

}  // namespace

std::span<const Route> use_routes() { return kUseRoutes; }

}  // namespace lamarck::server
