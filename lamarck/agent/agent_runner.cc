#include "lamarck/agent/agent_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/agent/agent_plan_check.h"
#include "lamarck/agent/internal/run_messages.h"
#include "lamarck/agent/skill_plan.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_composition.h"

namespace lamarck::agent {
namespace {

std::string all_succeeded(std::size_t steps) {
  return steps == 1 ? "The step succeeded."
                    : fmt::format("All {} steps succeeded.", steps);
}

// The last group that no other group called; null = none.
const StepGroup* last_planned_group(const AgentRun& run) {
  const auto found =
      std::ranges::find_if(run.groups.rbegin(), run.groups.rend(),
                           [](const StepGroup& one) { return !one.caller; });
  return found == run.groups.rend() ? nullptr : &*found;
}

// Why the last planned group that failed did so.
std::string last_failure(const AgentRun& run) {
  for (auto group = run.groups.rbegin(); group != run.groups.rend(); ++group) {
    if (group->caller || (!group->has_failed && group->error.empty())) continue;
    return internal::failure_text(run, *group);
  }
  return "No step was made.";
}

}  // namespace

AgentRunner::AgentRunner(AgentRunnerOptions options, const ToolRegistry& tools,
                         store::Journal& journal, Clock& clock, Rng rng)
    : options_(std::move(options)),
      tools_(tools),
      journal_(journal),
      clock_(clock),
      rng_(rng),
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
                                .state = append.new_state.value_or("running"),
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
  return start("agent_" + ids_.next(), task, plan, {}, cancel);
}

Result<void> AgentRunner::check_plan(const AgentPlan& plan) const {
  RETURN_IF_ERROR(check_agent_plan(plan, tools_));
  for (const skills::SkillStep& step : plan.steps) {
    const auto name = skills::called_skill(step);
    if (!name || options_.library == nullptr) continue;
    RETURN_IF_ERROR(options_.library->store().usable_skill(
        options_.agent.org_id, options_.agent.id, std::string(*name)));
  }
  return {};
}

// Without a plan and without a model, a skill that fits is the plan.
Result<AgentPlan> AgentRunner::find_plan(const std::string& task,
                                         const CancelToken& cancel) const {
  const Error needs = invalid_argument(
      "An agent needs a plan (--plan FILE) or a model (llm.base_url and "
      "llm.model), unless an approved skill fits the task; none does.");
  if (options_.library == nullptr) return needs;
  auto plan = plan_with_skill(*options_.library, options_.agent, task, cancel);
  if (plan || plan.error().code() != ErrorCode::NotFound) return plan;
  return needs;
}

Result<AgentRun> AgentRunner::prepare(const std::string& id,
                                      const std::string& task,
                                      std::optional<AgentPlan> plan,
                                      const ParentRun& parent,
                                      std::string state,
                                      const CancelToken& cancel) {
  if (!plan && !options_.planner) {
    ASSIGN_OR_RETURN(plan, find_plan(task, cancel));
  }
  if (plan) RETURN_IF_ERROR(check_plan(*plan));
  AgentRun run;
  run.id = id;
  Json started = {{"task", task},
                  {"org_id", options_.agent.org_id},
                  {"agent_id", options_.agent.id},
                  {"agent", options_.agent.name},
                  {"workspace", options_.workspace},
                  {"has_model", !plan},
                  {"limits", to_json(options_.limits)},
                  {"starter", options_.starter},
                  {"process", options_.process}};
  if (plan) started["plan"] = to_json(*plan);
  if (!parent.id.empty()) {
    started["parent"] = parent.id;
    started["depth"] = parent.depth;
  }
  if (!options_.previous.empty()) {
    started["previous"] = options_.previous;
    started["history"] = options_.history;
  }
  RETURN_IF_ERROR(
      record(run, "agent_started", std::move(started), 0, std::move(state)));
  return run;
}

Result<AgentRun> AgentRunner::start(const std::string& id,
                                    const std::string& task,
                                    std::optional<AgentPlan> plan,
                                    const ParentRun& parent,
                                    const CancelToken& cancel) {
  ASSIGN_OR_RETURN(AgentRun run, prepare(id, task, std::move(plan), parent,
                                         "running", cancel));
  RETURN_IF_ERROR(move(run, AgentState::Plan));
  return work(std::move(run), cancel);
}

Result<AgentRun> AgentRunner::begin(const std::string& task,
                                    const std::optional<AgentPlan>& plan,
                                    const CancelToken& cancel) {
  return prepare("agent_" + ids_.next(), task, plan, {}, "queued", cancel);
}

Result<AgentRun> AgentRunner::load(const std::string& id) {
  ASSIGN_OR_RETURN(const store::Run stored, journal_.run(id));
  if (stored.kind != kAgentRunKind) {
    return Error(ErrorCode::NotFound, in_quotes(id) +
                                          " is not a run of an "
                                          "agent; see `lamarck agent list`.");
  }
  ASSIGN_OR_RETURN(const auto events, journal_.events(id));
  return fold_agent_run(id, events);
}

Result<AgentRun> AgentRunner::queue(const std::string& id) {
  ASSIGN_OR_RETURN(AgentRun run, load(id));
  RETURN_IF_ERROR(record(run, "agent_queued", {{"process", options_.process}},
                         0, "queued"));
  return run;
}

Result<AgentRun> AgentRunner::stop(const std::string& id, const Error& why) {
  ASSIGN_OR_RETURN(AgentRun run, load(id));
  RETURN_IF_ERROR(stop(run, why));
  return run;
}

Result<void> AgentRunner::link_next(const std::string& id,
                                    const std::string& next) {
  ASSIGN_OR_RETURN(AgentRun run, load(id));
  return record(run, "agent_continued", {{"run", next}});
}

Result<AgentRun> AgentRunner::resume(const std::string& id,
                                     const CancelToken& cancel) {
  ASSIGN_OR_RETURN(AgentRun run, load(id));
  if (run.state == AgentState::End) return run;
  if (run.has_model && !options_.planner) {
    return invalid_argument("The run " + id +
                            " was started with a model; set "
                            "llm.base_url and llm.model to resume it.");
  }
  RETURN_IF_ERROR(record(run, "agent_resumed", {{"process", options_.process}},
                         0, "running"));
  if (run.state == AgentState::Start) {
    RETURN_IF_ERROR(move(run, AgentState::Plan));
  }
  return work(std::move(run), cancel);
}

Result<AgentRun> AgentRunner::work(AgentRun run, const CancelToken& cancel) {
  guard_ = Guard{};
  for (const CallRecord& record : run.calls) {
    if (!record.is_finished) continue;
    guard_->loop.record(record.call.tool, record.call.arguments,
                        record.call.result);
  }
  BudgetHistory before = options_.spent;
  before.spent.evaluations += run.step_count();
  before.spent.tokens += run.tokens;
  before.spent.money_micros += run.money_micros;
  before.wall_time += std::chrono::milliseconds(run.time_ms);
  // Steps are checked by the runner: when they are used up, a model may still
  // give its answer.
  BudgetLimits limits = options_.limits;
  limits.evaluations.reset();
  budget_.emplace(limits, clock_, before);
  Result<void> outcome = settle_unfinished(run);
  while (outcome && run.state != AgentState::End && !run.question) {
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
  return record(run, "agent_stopped", internal::error_result(why), 0,
                "stopped");
}

Result<void> AgentRunner::step(AgentRun& run, const CancelToken& cancel) {
  switch (run.state) {
    case AgentState::Plan:
      return plan(run, cancel);
    case AgentState::Act:
      return act(run, cancel);
    case AgentState::Delegate:
      return delegate(run, cancel);
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
    RETURN_IF_ERROR(
        record(run, "model_called",
               {{"reply", turn.reply},
                {"money_micros", turn.money_micros},
                {"tokens", turn.tokens},
                {"ms", internal::milliseconds_since(clock_, start)}},
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

// Records the steps of a given plan.
Result<void> AgentRunner::follow_plan(AgentRun& run) {
  ASSIGN_OR_RETURN(const AgentPlan plan, parse_agent_plan(run.plan));
  const StepGroup group{.steps = plan.steps, .params = plan.params};
  return record(run, "plan_made",
                {{"groups", {to_json(group)}},
                 {"answer", plan.answer},
                 {"reusability", plan.reusability}});
}

Result<void> AgentRunner::plan(AgentRun& run, const CancelToken& cancel) {
  if (run.pending() == nullptr && !run.reflection) {
    const bool is_given = !run.plan.is_null() && run.groups.empty();
    RETURN_IF_ERROR(is_given ? follow_plan(run) : take_turn(run, cancel));
  }
  if (run.reflection) return move(run, AgentState::Respond);
  return move(
      run, run.is_delegation_next() ? AgentState::Delegate : AgentState::Act);
}

Result<void> AgentRunner::observe(AgentRun& run, const CancelToken& cancel) {
  RETURN_IF_ERROR(report_groups(run));
  if (!guard_->has_ended && run.pending() != nullptr) {
    return move(run,
                run.is_delegation_next() ? AgentState::Plan : AgentState::Act);
  }
  const bool asks = run.has_model && !guard_->has_ended && !run.reflection;
  if (!asks) return move(run, AgentState::Reflect);
  RETURN_IF_ERROR(take_turn(run, cancel));
  return move(run, run.reflection ? AgentState::Reflect : AgentState::Plan);
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
          group.has_succeeded() ? "" : internal::failure_text(run, group)));
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
    const StepGroup* last = last_planned_group(run);
    if (answer.empty() && success) answer = dump_json(last->results.back());
    RETURN_IF_ERROR(
        record(run, "agent_reflected",
               {{"success", success},
                {"summary", success ? all_succeeded(last->steps.size())
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
