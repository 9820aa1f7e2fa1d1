// The routes of agents' tasks. They only read; `lamarck agent` runs tasks.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/macros.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/journal_pages.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/store/redaction.h"

namespace lamarck::server {
namespace {

Result<Json> list_agent_tasks(const RouteCall& call) {
  return list_runs_of_kind(call, agent::kAgentRunKind, "task");
}

Json task_state_json(const agent::AgentRun& run) {
  Json groups = Json::array();
  for (const agent::StepGroup& group : run.groups) {
    Json shown = agent::to_json(group);
    shown["is_done"] = group.is_done();
    shown["has_failed"] = group.has_failed;
    groups.push_back(std::move(shown));
  }
  Json json = agent::to_json(run);
  json["groups"] = std::move(groups);
  json["session_id"] = run.session_id;
  json["workspace"] = run.workspace;
  json["permissions"] = run.permissions;
  json["has_learned"] = run.has_learned;
  json["time_ms"] = run.time_ms;
  json["at"] = run.head;
  json["reflection"] = run.reflection
                           ? Json{{"success", run.reflection->success},
                                  {"summary", run.reflection->summary},
                                  {"reusability", run.reflection->reusability}}
                           : Json();
  return json;
}

// What became of the wish to learn: {"state": "queued", "skipped" or "off",
// "message", "skill_id"}; null before the end. A skill exists once its job is
// done.
Json learning_json(const RouteCall& call,
                   const std::vector<store::Event>& events) {
  const auto found =
      std::ranges::find(events, "agent_learned", &store::Event::type);
  if (found == events.end()) return nullptr;
  const auto data = parse_json(found->constraints);
  if (!data || !data->is_object()) return nullptr;
  Json json = {{"state", data->value("state", "off")},
               {"message", data->value("message", "")},
               {"skill_id", ""}};
  if (!data->contains("job")) return json;
  const auto job = call.store().job(call.org(), data->value("job", ""));
  if (!job) return json;
  json["state"] = job->state;
  json["message"] = job->message;
  json["skill_id"] = job->skill_id;
  return json;
}

// The state of a task is the fold over its events, so the state after an
// earlier event is the fold up to it.
Result<Json> show_agent_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  ASSIGN_OR_RETURN(const store::Run found,
                   find_run(call, *service, agent::kAgentRunKind, "task"));
  const auto newest = static_cast<std::int64_t>(found.head);
  const std::int64_t at = get_count(call.query, "at", newest);
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   service->journal().events(
                       found.id, 0,
                       static_cast<std::size_t>(std::clamp<std::int64_t>(
                           at, 1, std::max<std::int64_t>(newest, 1)))));
  ASSIGN_OR_RETURN(const agent::AgentRun run,
                   agent::fold_agent_run(found.id, events));
  Json json = task_state_json(run);
  json["learning"] = learning_json(call, events);
  json["as_of"] = found.head;
  json["run_state"] = found.state;
  json["created"] = epoch_ms(found.created);
  json["updated"] = epoch_ms(found.updated);
  return store::redacted_json(json);
}

constexpr std::array kAgentTaskRoutes = {
    Route{.method = "GET",
          .path = "/agent-tasks",
          .operation = "list_agent_tasks",
          .summary = "List the tasks of agents, newest first.",
          .query = kRunListQuery,
          .response = R"({"type": "object",
            "required": ["items", "next_cursor"], "properties": {
              "items": {"type": "array", "items": {"type": "object",
                "required": ["id", "task", "state", "events", "created",
                  "updated"]}},
              "next_cursor": {"type": ["string", "null"]}}})",
          .handle = list_agent_tasks},
    Route{.method = "GET",
          .path = "/agent-tasks/{id}",
          .operation = "show_agent_task",
          .summary = "Show a task of an agent, now or after one of its events.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"at": {"type": "integer", "minimum": 1,
              "description": "The number of the event; default: the newest."}}})",
          .response = R"({"$ref": "#/components/schemas/AgentTask"})",
          .handle = show_agent_task},
};

}  // namespace

std::span<const Route> agent_task_routes() { return kAgentTaskRoutes; }

}  // namespace lamarck::server
