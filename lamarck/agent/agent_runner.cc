#include "lamarck/agent/agent_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/agent/loop_guard.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

std::int64_t milliseconds_since(const Clock& clock,
                                std::chrono::nanoseconds start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.elapsed() -
                                                               start)
      .count();
}

Json error_result(const Error& error) {
  return {{"error",
           {{"code", error_code_name(error.code())},
            {"message", error.message()}}}};
}

// The dangerous capabilities of a tool, by name.
std::vector<std::string> dangers(const skills::ToolInfo& tool) {
  std::vector<std::string> names;
  for (const skills::CapabilityEntry& entry : skills::capabilities()) {
    if (entry.is_dangerous && tool.capabilities.has(entry.capability)) {
      names.emplace_back(entry.name);
    }
  }
  return names;
}

std::string all_succeeded(std::size_t steps) {
  return steps == 1 ? "The step succeeded."
                    : fmt::format("All {} steps succeeded.", steps);
}

// Why the last group that failed did so.
std::string last_failure(const AgentRun& run) {
  for (auto group = run.groups.rbegin(); group != run.groups.rend(); ++group) {
    if (!group->error.empty()) return group->error;
    if (!group->has_failed) continue;
    const skills::ToolCall& call = run.calls.back().call;
    const Json error = call.result.value("error", Json::object());
    return call.tool + " failed: " + error.value("message", "");
  }
  return "No step was made.";
}

}  // namespace

struct AgentRunner::Guard {
  LoopGuard loop;
  bool has_ended = false;  // Nothing more may be called.
};

AgentRunner::AgentRunner(AgentRunnerOptions options, const ToolRegistry& tools,
                         store::Journal& journal, Clock& clock, Rng rng)
    : options_(std::move(options)),
      tools_(tools),
      journal_(journal),
      clock_(clock),
      ids_(clock, rng) {}

Result<void> AgentRunner::record(AgentRun& run, std::string_view type,
                                 Json data, std::int64_t tokens,
                                 std::optional<std::string> new_state) {
  store::Event event{.id = "evt_" + ids_.next(),
                     .type = std::string(type),
                     .role = "agent",
                     .content = std::string(type),
                     .constraints = dump_json(data),
                     .status = "done",
                     .token_cost = tokens,
                     .walltime_ms = data.value("ms", std::int64_t{0}),
                     .ts = clock_.wall_time()};
  if (!run.last_event.empty()) event.parents = {{.from = run.last_event}};
  store::Append append{.run = run.id,
                       .expected_head = run.head,
                       .events = {event},
                       .new_state = std::move(new_state)};
  if (run.head == 0) {
    append.expected_head.reset();
    append.new_run = store::Run{.id = run.id,
                                .kind = std::string(kAgentRunKind),
                                .title = one_line(data.value("task", ""), 200),
                                .state = "running",
                                .created = event.ts,
                                .updated = event.ts};
  }
  RETURN_IF_ERROR(journal_.append(std::move(append)));
  RETURN_IF_ERROR(apply(run, event));
  if (options_.watch) options_.watch(type, data);
  return {};
}

Result<void> AgentRunner::move(AgentRun& run, AgentState to) {
  ENSURE(is_transition(run.state, to), "agents follow the table of states");
  return record(run, "agent_moved", {{"to", agent_state_name(to)}});
}

Result<AgentRun> AgentRunner::run(const std::string& task,
                                  const std::optional<AgentPlan>& plan,
                                  const CancelToken& cancel) {
  if (!plan && !options_.planner) {
    return invalid_argument(
        "An agent needs a plan (--plan FILE) or a model; set llm.base_url and "
        "llm.model.");
  }
  AgentRun run;
  run.id = "agent_" + ids_.next();
  RETURN_IF_ERROR(record(run, "agent_started",
                         {{"task", task},
                          {"org_id", options_.agent.org_id},
                          {"agent_id", options_.agent.id},
                          {"agent", options_.agent.name},
                          {"workspace", options_.workspace},
                          {"has_model", !plan}}));
  RETURN_IF_ERROR(move(run, AgentState::Plan));
  if (plan) {
    const StepGroup group{.steps = plan->steps, .params = plan->params};
    RETURN_IF_ERROR(record(run, "plan_made",
                           {{"groups", {to_json(group)}},
                            {"answer", plan->answer},
                            {"reusability", plan->reusability}}));
  }
  return work(std::move(run), cancel);
}

Result<AgentRun> AgentRunner::resume(const std::string& id,
                                     const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const store::Run stored, journal_.run(id));
  if (stored.kind != kAgentRunKind) {
    return Error(ErrorCode::NotFound, in_quotes(id) +
                                          " is not a run of an "
                                          "agent; see `lamarck agent list`.");
  }
  ASSIGN_OR_RETURN(const auto events, journal_.events(id));
  ASSIGN_OR_RETURN(AgentRun run, fold_agent_run(id, events));
  if (run.state == AgentState::End) return run;
  if (run.has_model && !options_.planner) {
    return invalid_argument("The run " + id +
                            " was started with a model; set "
                            "llm.base_url and llm.model to resume it.");
  }
  RETURN_IF_ERROR(record(run, "agent_resumed", Json::object(), 0, "running"));
  if (run.state == AgentState::Start) {
    RETURN_IF_ERROR(move(run, AgentState::Plan));
  }
  return work(std::move(run), cancel);
}

Result<AgentRun> AgentRunner::work(AgentRun run, const CancelToken& cancel) {
  guard_ = std::make_shared<Guard>();
  for (const CallRecord& record : run.calls) {
    if (!record.is_finished) continue;
    guard_->loop.record(record.call.tool, record.call.arguments,
                        record.call.result);
  }
  budget_.emplace(
      options_.limits, clock_,
      BudgetHistory{
          .spent = {.evaluations = static_cast<std::int64_t>(run.calls.size()),
                    .tokens = run.tokens,
                    .money_micros = run.money_micros},
          .wall_time = std::chrono::milliseconds(run.time_ms)});
  Result<void> outcome = settle_unfinished(run);
  while (outcome && run.state != AgentState::End) {
    outcome = cancel.check();
    if (outcome) outcome = step(run, cancel);
  }
  if (!outcome) {
    RETURN_IF_ERROR(stop(run, outcome.error()));
    return outcome.error();
  }
  return run;
}

Result<void> AgentRunner::stop(AgentRun& run, const Error& why) {
  return record(run, "agent_stopped", error_result(why), 0, "stopped");
}

Result<void> AgentRunner::step(AgentRun& run, const CancelToken& cancel) {
  switch (run.state) {
    case AgentState::Plan:
      return plan(run, cancel);
    case AgentState::Act:
    case AgentState::Delegate:
      return act(run, cancel);
    case AgentState::Observe:
      return observe(run, cancel);
    case AgentState::Reflect:
      return reflect(run);
    case AgentState::Respond:
      if (!run.has_learned) RETURN_IF_ERROR(learn(run));
      return record(
          run, "agent_moved", {{"to", "END"}}, 0,
          run.reflection && run.reflection->success ? "done" : "failed");
    case AgentState::Start:
    case AgentState::End:
      break;
  }
  return move(run, AgentState::Plan);
}

// Asks the planner and records what it wants.
Result<void> AgentRunner::take_turn(AgentRun& run, const CancelToken& cancel) {
  const auto start = clock_.elapsed();
  const auto write = [&](std::string_view type, Json data) {
    return record(run, type, std::move(data));
  };
  ASSIGN_OR_RETURN(PlannedTurn turn,
                   options_.planner->next(run, *budget_, write, cancel));
  if (!turn.sent.empty()) {
    RETURN_IF_ERROR(record(run, "agent_sent", {{"messages", turn.sent}}));
  }
  if (!turn.reply.is_null()) {
    RETURN_IF_ERROR(record(run, "model_called",
                           {{"reply", turn.reply},
                            {"money_micros", turn.money_micros},
                            {"tokens", turn.tokens},
                            {"ms", milliseconds_since(clock_, start)}},
                           turn.tokens));
  }
  if (turn.reflection) {
    return record(run, "agent_reflected",
                  {{"success", turn.reflection->success},
                   {"summary", turn.reflection->summary},
                   {"reusability", turn.reflection->reusability},
                   {"answer", turn.answer}});
  }
  Json groups = Json::array();
  for (const StepGroup& group : turn.groups) groups.push_back(to_json(group));
  return record(run, "plan_made", {{"groups", std::move(groups)}});
}

Result<void> AgentRunner::plan(AgentRun& run, const CancelToken& cancel) {
  if (run.pending() == nullptr && !run.reflection) {
    RETURN_IF_ERROR(take_turn(run, cancel));
  }
  if (run.reflection) return move(run, AgentState::Respond);
  return move(run, AgentState::Act);
}

Result<void> AgentRunner::observe(AgentRun& run, const CancelToken& cancel) {
  RETURN_IF_ERROR(report_groups(run));
  if (!guard_->has_ended && run.pending() != nullptr) {
    return move(run, AgentState::Act);
  }
  const bool asks = run.has_model && !guard_->has_ended && !run.reflection;
  if (!asks) return move(run, AgentState::Reflect);
  RETURN_IF_ERROR(take_turn(run, cancel));
  return move(run, run.reflection ? AgentState::Reflect : AgentState::Plan);
}

Result<void> AgentRunner::refuse(AgentRun& run, std::size_t group,
                                 const Error& why) {
  const std::size_t done = run.groups[group].results.size();
  return record(run, "step_refused",
                {{"group", group},
                 {"tool", run.groups[group].steps[done].tool},
                 {"message", why.message()}});
}

// Makes the next call of the first group that is not done.
Result<void> AgentRunner::act(AgentRun& run, const CancelToken& cancel) {
  if (StepGroup* group = run.pending(); group != nullptr) {
    const auto index = static_cast<std::size_t>(group - run.groups.data());
    const skills::SkillStep& step = group->steps[group->results.size()];
    const Tool* tool = tools_.find(step.tool);
    Result<Json> arguments =
        group->is_literal
            ? Result<Json>(step.arguments)
            : skills::resolve_step(step, group->params, group->results);
    if (arguments) {
      arguments = tools_.checked_arguments(step.tool, *arguments);
    }
    Result<void> allowed = arguments ? check_permission(run, *tool, *arguments)
                                     : Result<void>(arguments.error());
    RETURN_IF_ERROR(allowed ? make_call(run, index, *tool, *arguments, cancel)
                            : refuse(run, index, allowed.error()));
  }
  return move(run, AgentState::Observe);
}

Result<void> AgentRunner::check_permission(AgentRun& run, const Tool& tool,
                                           const Json& arguments) {
  const auto needed = dangers(tool.info);
  const auto is_listed = [&](const std::string& name) {
    return std::ranges::find(options_.agent.allowed, name) !=
           options_.agent.allowed.end();
  };
  if (needed.empty() || options_.allows_all || is_listed(tool.info.name) ||
      run.permissions.contains(tool.info.name) ||
      std::ranges::all_of(needed, is_listed)) {
    return {};
  }
  const Approval answer =
      options_.ask ? options_.ask(tool.info, arguments) : Approval::Never;
  if (answer == Approval::Always) {
    return record(run, "permission_given", {{"name", tool.info.name}});
  }
  if (answer == Approval::Once) return {};
  return Error(ErrorCode::PermissionDenied,
               fmt::format("{} was not allowed ({}); allow it with --yes, or "
                           "with `lamarck agent config {} --allow {}`.",
                           tool.info.name, fmt::join(needed, ", "),
                           options_.agent.name, tool.info.name));
}

Result<void> AgentRunner::make_call(AgentRun& run, std::size_t group,
                                    const Tool& tool, const Json& arguments,
                                    const CancelToken& cancel) {
  const std::string& name = tool.info.name;
  const LoopVerdict verdict = guard_->loop.check(name, arguments);
  if (verdict != LoopVerdict::Proceed) {
    guard_->has_ended = verdict == LoopVerdict::End;
    return refuse(run, group,
                  Error(ErrorCode::FailedPrecondition,
                        "The same call of " + name +
                            " has returned the same result twice; try "
                            "something else."));
  }
  auto reservation = budget_->reserve({.evaluations = 1});
  if (!reservation) {
    guard_->has_ended = true;
    const auto limit = options_.limits.evaluations;
    const bool is_steps = limit && budget_->spent().evaluations >= *limit;
    return refuse(run, group,
                  is_steps ? Error(ErrorCode::BudgetExceeded,
                                   fmt::format("The limit of {} steps is used "
                                               "up; raise it with --steps.",
                                               *limit))
                           : reservation.error());
  }
  // Once this is durable, the call counts as one that may have happened.
  RETURN_IF_ERROR(
      record(run, "call_started",
             {{"group", group}, {"tool", name}, {"arguments", arguments}}));
  const auto start = clock_.elapsed();
  const Result<Json> result = tools_.call(name, arguments, cancel);
  reservation->settle({.evaluations = 1});
  if (!result && cancel.is_cancelled()) return result.error();
  const Json shown = result ? *result : error_result(result.error());
  guard_->loop.record(name, arguments, shown);
  return record(run, "call_finished",
                {{"call", run.calls.size() - 1},
                 {"tool", name},
                 {"succeeded", result.has_value()},
                 {"result", shown},
                 {"ms", milliseconds_since(clock_, start)}});
}

// After a crash: ends a call whose outcome is not known.
Result<void> AgentRunner::settle_unfinished(AgentRun& run) {
  const CallRecord* record_of_call = run.unfinished();
  if (record_of_call == nullptr) return {};
  const std::string name = record_of_call->call.tool;
  const Tool* tool = tools_.find(name);
  // The step is still pending, so an idempotent call is simply made again.
  if (tool != nullptr && tool->info.is_idempotent) return {};
  return record(
      run, "call_finished",
      {{"call", run.calls.size() - 1},
       {"tool", name},
       {"succeeded", false},
       {"result",
        error_result(Error(
            ErrorCode::FailedPrecondition,
            name + " may have been executed before the interruption, so it "
                   "was not repeated; check its effect."))}});
}

// Tells the ledger of skills what came of the groups that are done.
Result<void> AgentRunner::report_groups(AgentRun& run) {
  for (std::size_t i = 0; i < run.groups.size(); ++i) {
    const StepGroup& group = run.groups[i];
    if (group.use_id.empty() || group.is_reported || !group.is_done()) continue;
    if (options_.library != nullptr) {
      // A broken ledger must not stop the task.
      static_cast<void>(options_.library->report_use(
          options_.agent.org_id, group.use_id, group.has_succeeded(),
          static_cast<std::int64_t>(group.results.size()), 0,
          group.has_succeeded() ? "" : last_failure(run)));
    }
    RETURN_IF_ERROR(record(run, "group_reported", {{"group", i}}));
  }
  return {};
}

Result<void> AgentRunner::reflect(AgentRun& run) {
  if (!run.reflection) {
    const bool success =
        !guard_->has_ended && !run.has_model && !run.groups.empty() &&
        std::ranges::all_of(run.groups, [](const StepGroup& group) {
          return group.has_succeeded();
        });
    std::string answer = run.plan_answer;
    if (answer.empty() && success) {
      answer = dump_json(run.groups.back().results.back());
    }
    RETURN_IF_ERROR(record(
        run, "agent_reflected",
        {{"success", success},
         {"summary", success ? all_succeeded(run.groups.back().steps.size())
                             : last_failure(run)},
         {"reusability", run.plan_reusability},
         {"answer", answer}}));
  }
  RETURN_IF_ERROR(record(run, "agent_responded", {{"answer", run.answer}}));
  return move(run, AgentState::Respond);
}

// Queues EVOLVE. Why nothing is learned is recorded and is not an error.
Result<void> AgentRunner::learn(AgentRun& run) {
  Json data = {{"state", "off"}};
  if (options_.library != nullptr && run.reflection) {
    const skills::Trace trace = make_trace(run);
    const auto job = options_.library->learn(options_.agent.org_id,
                                             options_.agent.id, trace);
    data = job ? Json{{"state", "queued"}, {"job", job->id}}
               : Json{{"state", "skipped"}, {"message", job.error().message()}};
    const std::string family =
        trace.skills_used.empty() ? "" : trace.skills_used.front();
    static_cast<void>(options_.library->store().record_task(
        options_.agent.org_id,
        {.agent_id = options_.agent.id,
         .session_id = run.id,
         .family = family,
         .used_skill = !family.empty(),
         .success = trace.reflection.success,
         .steps = static_cast<std::int64_t>(trace.calls.size()),
         .tokens = trace.tokens,
         .model_calls = trace.model_calls}));
  }
  return record(run, "agent_learned", std::move(data));
}

}  // namespace lamarck::agent
