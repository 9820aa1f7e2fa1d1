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
  run.limits = parse_budget_limits(data.value("limits", Json::object()));
  run.starter = data.value("starter", "");
  run.process = data.value("process", Json());
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
  run.has_unused_answer = false;
}

// A call that another agent works on, in a run of its own.
void apply_delegated(AgentRun& run, const Json& data) {
  apply_call_started(run, data);
  run.calls.back().child_run = data.at("run");
  run.calls.back().child_limits = parse_budget_limits(data.at("limits"));
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
  run.has_unused_answer = false;
}

// A step whose call was not made: its arguments cannot be filled, it is not
// allowed, or it repeats itself.
void apply_step_refused(AgentRun& run, const Json& data) {
  StepGroup& group = run.groups.at(data.at("group").get<std::size_t>());
  group.has_failed = true;
  group.error = data.at("message");
  run.has_unused_answer = false;
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

// The run waits until a person answers.
void apply_asked(AgentRun& run, const Json& data) {
  run.question = parse_permission_question(data).value();
  run.has_unused_answer = false;
}

void apply_answered(AgentRun& run, const Json& data) {
  PermissionAnswer given{
      .question = run.question.value(),
      .approval = parse_approval(data.at("answer").get<std::string>()).value(),
      .comment = data.value("comment", ""),
      .by = data.value("by", "")};
  // A sub-task has permissions of its own.
  if (given.approval == Approval::Always && given.question.run.empty()) {
    run.permissions.insert(given.question.tool);
  }
  run.answers.push_back(std::move(given));
  run.has_unused_answer = true;
  run.question.reset();
}

// Asks again if the question is still open.
void apply_resumed(AgentRun& run, const Json& data) {
  run.question.reset();
  run.stop_message.clear();
  run.process = data.value("process", run.process);
}

void apply_stopped(AgentRun& run, const Json& data) {
  run.question.reset();
  run.stop_message = data.value("error", Json::object()).value("message", "");
}

void apply_queued(AgentRun& run, const Json& data) {
  run.stop_message.clear();
  run.process = data.value("process", run.process);
}

void apply_continued(AgentRun& run, const Json& data) {
  run.next = data.at("run");
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
    AgentEventKind{"permission_asked", apply_asked},
    AgentEventKind{"permission_answered", apply_answered},
    AgentEventKind{"skills_offered", apply_offered},
    AgentEventKind{"session_opened", apply_session},
    AgentEventKind{"agent_reflected", apply_reflected},
    AgentEventKind{"agent_responded", apply_responded},
    AgentEventKind{"agent_learned", apply_learned},
    AgentEventKind{"agent_stopped", apply_stopped},
    AgentEventKind{"agent_queued", apply_queued},
    AgentEventKind{"agent_resumed", apply_resumed},
    AgentEventKind{"agent_continued", apply_continued},
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

const PermissionAnswer* AgentRun::answer_to(
    const PermissionQuestion& asked) const {
  if (!has_unused_answer) return nullptr;
  const PermissionQuestion& answered = answers.back().question;
  const bool is_same =
      answered.tool == asked.tool && answered.arguments == asked.arguments;
  return is_same && answered.run == asked.run ? &answers.back() : nullptr;
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

}  // namespace lamarck::agent
