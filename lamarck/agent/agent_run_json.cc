// The JSON forms of the parts of an agent's run.

#include <chrono>
#include <utility>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/macros.h"

namespace lamarck::agent {

Json to_json(const BudgetLimits& limits) {
  Json json = Json::object();
  if (limits.evaluations) json["steps"] = *limits.evaluations;
  if (limits.tokens) json["tokens"] = *limits.tokens;
  if (limits.money_micros) json["money_micros"] = *limits.money_micros;
  if (limits.wall_time) json["time_ms"] = limits.wall_time->count();
  return json;
}

Json to_json(const StepGroup& group) {
  Json steps = Json::array();
  for (const skills::SkillStep& step : group.steps) {
    steps.push_back({{"tool", step.tool},
                     {"action", step.action},
                     {"arguments", step.arguments}});
  }
  Json json = {{"call_id", group.call_id},       {"skill_id", group.skill_id},
               {"skill_name", group.skill_name}, {"use_id", group.use_id},
               {"is_literal", group.is_literal}, {"steps", std::move(steps)},
               {"params", group.params},         {"error", group.error}};
  if (group.caller) {
    json["caller"] = *group.caller;
    json["caller_step"] = group.caller_step;
  }
  return json;
}

Result<StepGroup> parse_step_group(const Json& json) {
  StepGroup group;
  ASSIGN_OR_RETURN(group.call_id, json_field<std::string>(json, "call_id"));
  ASSIGN_OR_RETURN(group.skill_id, json_field<std::string>(json, "skill_id"));
  ASSIGN_OR_RETURN(group.skill_name,
                   json_field<std::string>(json, "skill_name"));
  ASSIGN_OR_RETURN(group.use_id, json_field<std::string>(json, "use_id"));
  ASSIGN_OR_RETURN(group.is_literal, json_field<bool>(json, "is_literal"));
  ASSIGN_OR_RETURN(group.params, json_field<Json>(json, "params"));
  ASSIGN_OR_RETURN(group.error, json_field_or<std::string>(json, "error", ""));
  if (json.contains("caller")) {
    ASSIGN_OR_RETURN(const auto caller,
                     json_field<std::int64_t>(json, "caller"));
    ASSIGN_OR_RETURN(const auto step,
                     json_field<std::int64_t>(json, "caller_step"));
    group.caller = static_cast<std::size_t>(caller);
    group.caller_step = static_cast<std::size_t>(step);
  }
  ASSIGN_OR_RETURN(const Json steps, json_field<Json>(json, "steps"));
  for (const Json& one : steps) {
    skills::SkillStep step;
    ASSIGN_OR_RETURN(step.tool, json_field<std::string>(one, "tool"));
    ASSIGN_OR_RETURN(step.action, json_field<std::string>(one, "action"));
    ASSIGN_OR_RETURN(step.arguments, json_field<Json>(one, "arguments"));
    group.steps.push_back(std::move(step));
  }
  return group;
}

BudgetLimits parse_budget_limits(const Json& json) {
  BudgetLimits limits;
  const auto set = [&](const char* name, std::optional<std::int64_t>& field) {
    if (json.contains(name)) field = json.at(name).get<std::int64_t>();
  };
  set("steps", limits.evaluations);
  set("tokens", limits.tokens);
  set("money_micros", limits.money_micros);
  if (json.contains("time_ms")) {
    limits.wall_time =
        std::chrono::milliseconds(json.at("time_ms").get<std::int64_t>());
  }
  return limits;
}

Json to_json(const AgentRun& run) {
  Json calls = Json::array();
  for (const CallRecord& record : run.calls) {
    calls.push_back({{"tool", record.call.tool},
                     {"arguments", record.call.arguments},
                     {"result", record.call.result},
                     {"succeeded", record.is_finished && record.call.succeeded},
                     {"is_finished", record.is_finished},
                     {"duration_ms", record.call.duration_ms}});
    if (!record.child_run.empty()) calls.back()["run"] = record.child_run;
  }
  Json used = Json::array();
  for (const StepGroup& group : run.groups) {
    if (!group.skill_id.empty()) {
      used.push_back({{"id", group.skill_id},
                      {"name", group.skill_name},
                      {"success", group.has_succeeded()}});
    }
  }
  Json shown = {{"id", run.id},
                {"task", run.task},
                {"agent", run.agent_name},
                {"state", agent_state_name(run.state)},
                {"calls", std::move(calls)},
                {"skills_offered", run.skills_offered},
                {"skills_used", std::move(used)},
                {"answer", run.answer},
                {"tokens", run.tokens},
                {"money_micros", run.money_micros},
                {"model_calls", run.model_calls},
                {"session", run.session_id}};
  if (!run.parent.empty()) {
    shown["parent"] = run.parent;
    shown["depth"] = run.depth;
  }
  if (!run.previous.empty()) shown["previous"] = run.previous;
  if (run.reflection) {
    shown["success"] = run.reflection->success;
    shown["summary"] = run.reflection->summary;
    shown["reusability"] = run.reflection->reusability;
  }
  return shown;
}

}  // namespace lamarck::agent
