// The routes of agents' tasks: start, follow, answer, continue, stop.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/macros.h"
#include "lamarck/server/agents/agent_service.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/journal_pages.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/store/redaction.h"

namespace lamarck::server {
namespace {

Result<Json> list_agent_tasks(const RouteCall& call) {
  return list_runs_of_kind(call, agent::kAgentRunKind, "task");
}

Json answers_json(const agent::AgentRun& run) {
  Json answers = Json::array();
  for (const agent::PermissionAnswer& each : run.answers) {
    answers.push_back(agent::to_json(each));
  }
  return answers;
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
  json["question"] = run.question ? agent::to_json(*run.question) : Json();
  json["answers"] = answers_json(run);
  json["history"] = run.history;
  json["previous"] = run.previous;
  json["next"] = run.next;
  json["parent"] = run.parent;
  json["limits"] = agent::to_json(run.limits);
  json["starter"] = run.starter;
  json["stop_message"] = run.stop_message;
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
// earlier event is the fold up to it; 0 = the newest.
Result<Json> task_at(const RouteCall& call, const store::Run& found,
                     std::int64_t at) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  const auto newest = static_cast<std::int64_t>(found.head);
  if (at == 0) at = newest;
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

Result<Json> show_agent_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  ASSIGN_OR_RETURN(const store::Run found,
                   find_run(call, *service, agent::kAgentRunKind, "task"));
  return task_at(call, found, get_count(call.query, "at", 0));
}

Result<Json> task_now(const RouteCall& call, const std::string& id) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  ASSIGN_OR_RETURN(const store::Run found, service->journal().run(id));
  return task_at(call, found, 0);
}

Result<Json> start_agent_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  ASSIGN_OR_RETURN(const std::string id, agents->start(call.body));
  return task_now(call, id);
}

Result<Json> send_to_agent(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  ASSIGN_OR_RETURN(const std::string id, agents->send(call.id(), call.body));
  return task_now(call, id);
}

Result<Json> answer_agent(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  agent::PermissionAnswer given;
  ASSIGN_OR_RETURN(given.approval,
                   agent::parse_approval(get_text(call.body, "answer")));
  given.comment = get_text(call.body, "comment");
  given.by = call.caller.name;
  RETURN_IF_ERROR(agents->answer(call.id(), given));
  return task_now(call, call.id());
}

Result<Json> stop_agent_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  RETURN_IF_ERROR(agents->stop_task(
      call.id(), call.caller.name.empty() ? "a client" : call.caller.name));
  return task_now(call, call.id());
}

Result<Json> resume_agent_task(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  RETURN_IF_ERROR(agents->resume(call.id()));
  return task_now(call, call.id());
}

Result<Json> list_agent_files(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  return agents->files(call.id());
}

Result<Json> fetch_agent_file(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  return agents->file(call.id(), get_text(call.query, "path"));
}

Result<Json> show_agent_setup(const RouteCall& call) {
  ASSIGN_OR_RETURN(AgentService* const agents, call.agents());
  return agents->setup();
}

constexpr std::string_view kTaskSchema =
    R"({"$ref": "#/components/schemas/AgentTask"})";
constexpr std::string_view kTaskRequestSchema =
    R"({"$ref": "#/components/schemas/AgentTaskRequest"})";

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
    Route{.method = "POST",
          .path = "/agent-tasks",
          .operation = "start_agent_task",
          .summary = "Start a task of an agent, by a plan, a skill or the "
                     "model of the server.",
          .request = kTaskRequestSchema,
          .response = kTaskSchema,
          .status = 202,
          .handle = start_agent_task},
    Route{.method = "GET",
          .path = "/agent-setup",
          .operation = "show_agent_setup",
          .summary = "Show whether tasks can be started, with which model, "
                     "agents and tools.",
          .response = R"({"type": "object",
            "required": ["can_start", "model", "message", "agents", "tools"],
            "properties": {"can_start": {"type": "boolean"},
              "model": {"type": ["string", "null"]},
              "message": {"type": "string"},
              "agents": {"type": "array", "items": {"type": "string"}},
              "tools": {"type": "array", "items": {"type": "object",
                "required": ["name", "description", "needs"]}}}})",
          .handle = show_agent_setup},
    Route{.method = "GET",
          .path = "/agent-tasks/{id}",
          .operation = "show_agent_task",
          .summary = "Show a task of an agent, now or after one of its events.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"at": {"type": "integer", "minimum": 1,
              "description": "The number of the event; default: the newest."}}})",
          .response = kTaskSchema,
          .handle = show_agent_task},
    Route{.method = "POST",
          .path = "/agent-tasks/{id}/messages",
          .operation = "send_to_agent",
          .summary = "Send a further message after a task that has ended; the "
                     "agent remembers the conversation and keeps the files.",
          .request = kTaskRequestSchema,
          .response = kTaskSchema,
          .status = 202,
          .handle = send_to_agent},
    Route{.method = "POST",
          .path = "/agent-tasks/{id}/answer",
          .operation = "answer_agent",
          .summary = "Answer the question whether an agent may make a "
                     "dangerous call.",
          .role = Role::Reviewer,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["answer"], "properties": {
              "answer": {"enum": ["once", "always", "never"], "description":
                "always = all calls of this tool in this task."},
              "comment": {"type": "string", "maxLength": 1000, "description":
                "For the agent, if the call is not allowed."}}})",
          .response = kTaskSchema,
          .status = 202,
          .handle = answer_agent},
    Route{.method = "POST",
          .path = "/agent-tasks/{id}/stop",
          .operation = "stop_agent_task",
          .summary = "Stop a task; it can be resumed.",
          .response = kTaskSchema,
          .status = 202,
          .handle = stop_agent_task},
    Route{.method = "POST",
          .path = "/agent-tasks/{id}/resume",
          .operation = "resume_agent_task",
          .summary = "Continue a stopped task where it was.",
          .response = kTaskSchema,
          .status = 202,
          .handle = resume_agent_task},
    Route{.method = "GET",
          .path = "/agent-tasks/{id}/files",
          .operation = "list_agent_files",
          .summary = "List the files of a task.",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array", "items": {
              "type": "object", "required": ["path", "bytes"]}}}})",
          .handle = list_agent_files},
    Route{.method = "GET",
          .path = "/agent-tasks/{id}/file",
          .operation = "fetch_agent_file",
          .summary = "Download a file of a task.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"path": {"type": "string", "maxLength": 1000,
              "description": "As in the list of files."}}})",
          .response = R"({"type": "object"})",
          .replies_file = true,
          .handle = fetch_agent_file},
};

}  // namespace

std::span<const Route> agent_task_routes() { return kAgentTaskRoutes; }

}  // namespace lamarck::server
