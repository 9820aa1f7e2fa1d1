#include "lamarck/agent/agent_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lamarck/base/macros.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

using Apply = void (*)(AgentRun& run, const Json& data);

void apply_started(AgentRun& run, const Json& data) {
  run.task = data.at("task");
  run.org_id = data.at("org_id");
  run.agent_id = data.at("agent_id");
  run.agent_name = data.at("agent");
  run.workspace = data.value("workspace", "");
  run.has_model = data.value("has_model", false);
  run.parent = data.value("parent", "");
  run.depth = data.value("depth", std::size_t{0});
  run.previous = data.value("previous", "");
  run.history = data.value("history", Json::array());
  run.plan = data.value("plan", Json());
}

void apply_moved(AgentRun& run, const Json& data) {
  for (const AgentTransition& one : agent_transitions()) {
    if (one.from == run.state &&
        agent_state_name(one.to) == data.at("to").get<std::string>()) {
      run.state = one.to;
      return;
    }
  }
  throw std::out_of_range("no such transition");
}

void apply_messages(AgentRun& run, const Json& data) {
  for (const Json& message : data.at("messages")) {
    run.messages.push_back(message);
  }
}

void apply_model(AgentRun& run, const Json& data) {
  run.messages.push_back(data.at("reply"));
  run.money_micros += data.value("money_micros", std::int64_t{0});
  ++run.model_calls;
}

void apply_planned(AgentRun& run, const Json& data) {
  for (const Json& group : data.at("groups")) {
    run.groups.push_back(parse_step_group(group).value());
  }
  run.plan_answer = data.value("answer", run.plan_answer);
  run.plan_reusability = data.value("reusability", run.plan_reusability);
}

void apply_call_started(AgentRun& run, const Json& data) {
  run.calls.push_back(
      {.call = {.tool = data.at("tool"), .arguments = data.at("arguments")},
       .group = data.at("group")});
  run.groups.at(run.calls.back().group);
}

BudgetLimits parse_limits(const Json& json) {
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

// A call that another agent works on, in a run of its own.
void apply_delegated(AgentRun& run, const Json& data) {
  apply_call_started(run, data);
  run.calls.back().child_run = data.at("run");
  run.calls.back().child_limits = parse_limits(data.at("limits"));
}

void apply_call_finished(AgentRun& run, const Json& data) {
  CallRecord& record = run.calls.at(data.at("call").get<std::size_t>());
  record.is_finished = true;
  record.call.succeeded = data.at("succeeded");
  record.call.result = data.at("result");
  record.call.duration_ms = data.value("ms", std::int64_t{0});
  run.delegated_steps += data.value("steps", std::int64_t{0});
  run.money_micros += data.value("money_micros", std::int64_t{0});
  StepGroup& group = run.groups.at(record.group);
  group.has_failed = !record.call.succeeded;
  if (record.call.succeeded) group.results.push_back(record.call.result);
}

// A step whose call was not made: its arguments cannot be filled, it is not
// allowed, or it repeats itself.
void apply_step_refused(AgentRun& run, const Json& data) {
  StepGroup& group = run.groups.at(data.at("group").get<std::size_t>());
  group.has_failed = true;
  group.error = data.at("message");
}

// A step called a skill, whose steps come first.
void apply_skill_entered(AgentRun& run, const Json& data) {
  StepGroup group = parse_step_group(data.at("called")).value();
  run.groups.at(group.caller.value());
  run.groups.push_back(std::move(group));
}

// The called skill is done: the step has its last result, or failed.
void apply_skill_left(AgentRun& run, const Json& data) {
  const StepGroup called = run.groups.at(data.at("group").get<std::size_t>());
  StepGroup& caller = run.groups.at(called.caller.value());
  if (called.has_succeeded()) {
    caller.results.push_back(called.results.empty() ? Json()
                                                    : called.results.back());
  } else {
    caller.has_failed = true;
    caller.error = data.at("message");
  }
}

void apply_group_reported(AgentRun& run, const Json& data) {
  run.groups.at(data.at("group").get<std::size_t>()).is_reported = true;
}

void apply_permission(AgentRun& run, const Json& data) {
  run.permissions.insert(data.at("name").get<std::string>());
}

void apply_offered(AgentRun& run, const Json& data) {
  run.skills_offered = data.at("skills").get<std::vector<std::string>>();
  run.suggestions = data.value("suggestions", Json::object());
}

void apply_session(AgentRun& run, const Json& data) {
  run.session_id = data.at("session");
}

void apply_reflected(AgentRun& run, const Json& data) {
  run.reflection = skills::Reflection{.success = data.at("success"),
                                      .summary = data.at("summary"),
                                      .reusability = data.at("reusability")};
  run.answer = data.value("answer", run.answer);
}

void apply_responded(AgentRun& run, const Json& data) {
  run.answer = data.at("answer");
}

void apply_learned(AgentRun& run, const Json& /*data*/) {
  run.has_learned = true;
}

void apply_nothing(AgentRun& /*run*/, const Json& /*data*/) {}

struct AgentEventKind {
  std::string_view type;
  Apply apply;
};
// The one list of the events of a run.
constexpr std::array kAgentEvents = {
    AgentEventKind{"agent_started", apply_started},
    AgentEventKind{"agent_moved", apply_moved},
    AgentEventKind{"agent_sent", apply_messages},
    AgentEventKind{"model_called", apply_model},
    AgentEventKind{"plan_made", apply_planned},
    AgentEventKind{"call_started", apply_call_started},
    AgentEventKind{"task_delegated", apply_delegated},
    AgentEventKind{"call_finished", apply_call_finished},
    AgentEventKind{"skill_entered", apply_skill_entered},
    AgentEventKind{"skill_left", apply_skill_left},
    AgentEventKind{"step_refused", apply_step_refused},
    AgentEventKind{"group_reported", apply_group_reported},
    AgentEventKind{"permission_given", apply_permission},
    AgentEventKind{"skills_offered", apply_offered},
    AgentEventKind{"session_opened", apply_session},
    AgentEventKind{"agent_reflected", apply_reflected},
    AgentEventKind{"agent_responded", apply_responded},
    AgentEventKind{"agent_learned", apply_learned},
    AgentEventKind{"agent_stopped", apply_nothing},
    AgentEventKind{"agent_resumed", apply_nothing},
};

// The arguments of the last call of `calls` as the plan wrote them. A step that
// calls a skill has no call of its own, so the numbers of its group are not
// known.
Json planned_arguments(const StepGroup& group,
                       const std::vector<std::size_t>& calls) {
  if (group.is_literal || calls.size() > group.steps.size()) return {};
  const auto calls_skill = [](const skills::SkillStep& step) {
    return skills::called_skill(step).has_value();
  };
  if (std::ranges::any_of(group.steps, calls_skill)) return {};
  const skills::SkillStep& step = group.steps[calls.size() - 1];
  // References in the plan of a sub-task are to its own steps.
  if (step.tool == kDelegateTool) return {};
  Json planned = step.arguments;
  // References to steps of the group become references to calls of the trace.
  skills::renumber_results(planned, calls);
  return planned;
}

Error damaged_run(const store::Event& event) {
  return {ErrorCode::DataDamaged,
          fmt::format("Event {} ({}) of the run is not valid.", event.seq,
                      event.type)};
}

}  // namespace

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

StepGroup* AgentRun::pending() {
  StepGroup* found = nullptr;
  for (StepGroup& group : groups) {
    if (group.is_done()) continue;
    const bool is_called =
        found != nullptr && group.caller &&
        *group.caller == static_cast<std::size_t>(found - groups.data());
    if (found == nullptr || is_called) found = &group;
  }
  return found;
}

bool AgentRun::is_delegation_next() {
  const StepGroup* group = pending();
  return group != nullptr &&
         group->steps[group->results.size()].tool == kDelegateTool;
}

const StepGroup* AgentRun::called_group(std::size_t group) const {
  const auto found = std::ranges::find_if(groups, [&](const StepGroup& one) {
    return one.caller == group &&
           one.caller_step == groups[group].results.size();
  });
  return found == groups.end() ? nullptr : &*found;
}

std::int64_t AgentRun::step_count() const {
  return static_cast<std::int64_t>(calls.size()) + delegated_steps;
}

const CallRecord* AgentRun::unfinished() const {
  return calls.empty() || calls.back().is_finished ? nullptr : &calls.back();
}

Result<void> apply(AgentRun& run, const store::Event& event) {
  const auto* kind =
      std::ranges::find(kAgentEvents, event.type, &AgentEventKind::type);
  if (kind == kAgentEvents.end()) return damaged_run(event);
  const auto data = parse_json(event.constraints);
  if (!data) return damaged_run(event);
  try {
    kind->apply(run, *data);
  } catch (const std::exception&) {
    return damaged_run(event);
  }
  run.tokens += event.token_cost;
  run.time_ms += event.walltime_ms;
  run.last_event = event.id;
  ++run.head;
  return {};
}

Result<AgentRun> fold_agent_run(const std::string& id,
                                const std::vector<store::Event>& events) {
  AgentRun run;
  run.id = id;
  for (const store::Event& event : events) RETURN_IF_ERROR(apply(run, event));
  return run;
}

skills::Trace make_trace(const AgentRun& run) {
  skills::Trace trace{.session_id = run.id,
                      .request = run.task,
                      .answer = run.answer,
                      .tokens = run.tokens,
                      .model_calls = run.model_calls};
  std::vector<std::vector<std::size_t>> places(run.groups.size());
  for (const CallRecord& record : run.calls) {
    if (!record.is_finished) continue;
    trace.calls.push_back(record.call);
    std::vector<std::size_t>& steps = places[record.group];
    steps.push_back(trace.calls.size());
    trace.calls.back().planned =
        planned_arguments(run.groups[record.group], steps);
  }
  if (run.reflection) trace.reflection = *run.reflection;
  for (const StepGroup& group : run.groups) {
    if (!group.skill_id.empty()) trace.skills_used.push_back(group.skill_id);
  }
  return trace;
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
