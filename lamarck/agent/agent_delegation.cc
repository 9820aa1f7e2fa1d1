// DELEGATE: another agent of the organization works on a part of the task, in a
// run of its own with limits of its own. After a crash that run is resumed.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/internal/run_messages.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

// The arguments of the step. The steps of a plan inside of them refer to each
// other, so their references stay.
Result<Json> delegation_arguments(const StepGroup& group) {
  skills::SkillStep step = group.steps[group.results.size()];
  if (group.is_literal) return step.arguments;
  Json steps;
  Json& plan = step.arguments["plan"];
  if (plan.is_array()) {
    steps = std::exchange(plan, Json());
  } else if (plan.is_object() && plan.contains("steps")) {
    steps = std::exchange(plan["steps"], Json());
  }
  if (plan.is_null() && steps.is_null()) step.arguments.erase("plan");
  ASSIGN_OR_RETURN(Json arguments,
                   skills::resolve_step(step, group.params, group.results));
  if (steps.is_null()) return arguments;
  Json& resolved = arguments["plan"];
  (resolved.is_object() ? resolved["steps"] : resolved) = std::move(steps);
  return arguments;
}

// What the other agent may use: what the arguments ask for, else half of what
// is left; never more than is left without the step itself.
std::optional<std::int64_t> child_limit(std::optional<std::int64_t> left,
                                        const Json& arguments,
                                        const char* name) {
  std::optional<std::int64_t> limit;
  if (left) limit = (*left + 1) / 2;
  if (arguments.contains(name)) {
    limit = arguments[name].get<std::int64_t>();
    if (left) limit = std::min(*limit, *left);
  }
  return limit;
}

BudgetLimits child_limits(const Budget& budget,
                          std::optional<std::int64_t> steps,
                          const Json& arguments) {
  BudgetLimits limits;
  if (steps) steps = std::max<std::int64_t>(*steps - 1, 1);
  limits.evaluations = child_limit(steps, arguments, "steps");
  limits.tokens =
      child_limit(budget.left(Resource::Tokens), arguments, "tokens");
  limits.money_micros =
      child_limit(budget.left(Resource::Money), Json::object(), "");
  // Time passes for both.
  if (const auto left = budget.left(Resource::WallTime)) {
    limits.wall_time = std::chrono::milliseconds(*left);
  }
  return limits;
}

BudgetAmounts amounts_of(const BudgetLimits& limits) {
  return {.evaluations = 1 + limits.evaluations.value_or(0),
          .tokens = limits.tokens.value_or(0),
          .money_micros = limits.money_micros.value_or(0)};
}

// Data if it is JSON, so that later steps can use parts of it.
Json answer_of(const AgentRun& child) {
  auto json = parse_json(child.answer, {.depth = 64});
  return json && json->is_structured() ? std::move(*json) : Json(child.answer);
}

}  // namespace

struct AgentRunner::Delegation {
  Json arguments;
  DelegateAgent other;
  std::optional<AgentPlan> plan;
  BudgetLimits limits;
  std::string child_run;   // "" = not started yet.
  bool is_allowed = true;  // False = the run waits for a person.
};

// Fails if the other agent may do what this one may not, unless the user or the
// white list allows it.
Result<bool> AgentRunner::check_delegate(AgentRun& run,
                                         const DelegateAgent& other,
                                         const Json& arguments) {
  const auto& own = options_.agent.allowed;
  const std::string tool(kDelegateTool);
  std::vector<std::string> extra;
  for (const std::string& name : other.agent.allowed) {
    if (std::ranges::find(own, name) == own.end()) extra.push_back(name);
  }
  if (extra.empty() || options_.allows_all || run.permissions.contains(tool) ||
      std::ranges::find(own, tool) != own.end()) {
    return true;
  }
  return ask_person(
      run, tools_.find(tool)->info,
      {.tool = tool, .arguments = arguments, .needs = extra},
      fmt::format("{} may use {}, which {} may not; allow it with --yes, or "
                  "with `lamarck agent config {} --allow {}`.",
                  other.agent.name, join_text(extra, ", "), options_.agent.name,
                  options_.agent.name, tool));
}

Result<AgentRunner::Delegation> AgentRunner::make_delegation(
    AgentRun& run, const StepGroup& group) {
  Delegation made;
  ASSIGN_OR_RETURN(made.arguments, delegation_arguments(group));
  ASSIGN_OR_RETURN(made.arguments,
                   tools_.checked_arguments(kDelegateTool, made.arguments));
  if (!options_.find_delegate) {
    return Error(ErrorCode::FailedPrecondition,
                 "This agent has no other agents to delegate to.");
  }
  if (run.depth >= kMaxDelegations) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("Agents may delegate at most {} deep; solve this "
                             "part with tools.",
                             kMaxDelegations));
  }
  ASSIGN_OR_RETURN(made.other, options_.find_delegate(
                                   made.arguments["agent"].get<std::string>()));
  if (made.arguments.contains("plan")) {
    auto plan = parse_agent_plan(made.arguments["plan"]);
    if (!plan) return plan.error().within("The plan of the sub-task");
    made.plan = std::move(*plan);
  }
  if (const CallRecord* open = run.unfinished(); open != nullptr) {
    made.child_run = open->child_run;
    made.limits = open->child_limits;
    return made;
  }
  ASSIGN_OR_RETURN(made.is_allowed,
                   check_delegate(run, made.other, made.arguments));
  made.limits = child_limits(*budget_, steps_left(), made.arguments);
  return made;
}

// Ends the step with an error, whether or not the sub-task was started.
Result<void> AgentRunner::refuse_delegation(AgentRun& run, std::size_t group,
                                            const Error& why) {
  if (run.unfinished() == nullptr) {
    RETURN_IF_ERROR(refuse(run, group, why));
  } else {
    RETURN_IF_ERROR(record(run, "call_finished",
                           {{"call", run.calls.size() - 1},
                            {"tool", kDelegateTool},
                            {"succeeded", false},
                            {"result", internal::error_result(why)}}));
  }
  return move(run, AgentState::Observe);
}

Result<void> AgentRunner::delegate(AgentRun& run, const CancelToken& cancel) {
  // After a crash, the step may be done already.
  if (!run.is_delegation_next()) return move(run, AgentState::Observe);
  const StepGroup& group = *run.pending();
  const auto index = static_cast<std::size_t>(&group - run.groups.data());
  auto made = make_delegation(run, group);
  if (!made) return refuse_delegation(run, index, made.error());
  if (!made->is_allowed) return {};
  auto reservation = reserve(amounts_of(made->limits));
  if (!reservation) {
    guard_->has_ended = !run.has_model || guard_->was_refused;
    guard_->was_refused = true;
    return refuse_delegation(run, index, reservation.error());
  }
  if (made->child_run.empty()) {
    made->child_run = "agent_" + ids_.next();
    RETURN_IF_ERROR(record(run, "task_delegated",
                           {{"group", index},
                            {"tool", kDelegateTool},
                            {"arguments", made->arguments},
                            {"run", made->child_run},
                            {"limits", to_json(made->limits)}}));
  }
  RETURN_IF_ERROR(run_delegation(run, *made, std::move(*reservation), cancel));
  if (run.question) return {};
  return move(run, AgentState::Observe);
}

Result<void> AgentRunner::run_delegation(AgentRun& run,
                                         const Delegation& delegation,
                                         Reservation reservation,
                                         const CancelToken& cancel) {
  const auto start = clock_.elapsed();
  const Result<AgentRun> child = run_child(run, delegation, cancel);
  if (!child && cancel.is_cancelled()) return child.error();
  if (child && child->question) {
    PermissionQuestion question = *child->question;
    question.run = delegation.child_run;
    return wait_for_answer(run, question);
  }
  // A child that ended with an error has still used something.
  AgentRun used;
  if (child) {
    used = *child;
  } else if (const auto events = journal_.events(delegation.child_run)) {
    used = fold_agent_run(delegation.child_run, *events).value_or(AgentRun());
  }
  reservation.settle({.evaluations = 1 + used.step_count(),
                      .tokens = used.tokens,
                      .money_micros = used.money_micros});
  const std::string& name = delegation.other.agent.name;
  const bool success = child && child->reflection && child->reflection->success;
  Json result;
  if (success) {
    result = {{"agent", name},
              {"run", delegation.child_run},
              {"answer", answer_of(*child)},
              {"summary", child->reflection->summary}};
  } else {
    const std::string why = !child              ? child.error().message()
                            : child->reflection ? child->reflection->summary
                                                : "it gave no answer";
    result = internal::error_result(
        Error(ErrorCode::FailedPrecondition,
              fmt::format("{} did not solve the sub-task: {}", name, why)));
  }
  return record(run, "call_finished",
                {{"call", run.calls.size() - 1},
                 {"tool", kDelegateTool},
                 {"succeeded", success},
                 {"result", std::move(result)},
                 {"steps", used.step_count()},
                 {"money_micros", used.money_micros},
                 {"ms", internal::milliseconds_since(clock_, start)}},
                used.tokens);
}

// The answer that this run got to the question of its sub-task. After a crash,
// the sub-task may have it already.
Result<void> AgentRunner::pass_answer(const AgentRun& run,
                                      const std::string& child_run,
                                      AgentRunner& child) {
  if (!run.has_unused_answer) return {};
  const PermissionAnswer& given = run.answers.back();
  if (given.question.run != child_run) return {};
  ASSIGN_OR_RETURN(const AgentRun waiting, child.load(child_run));
  if (!waiting.question) return {};
  RETURN_IF_ERROR(child.answer(child_run, given));
  return {};
}

Result<AgentRun> AgentRunner::run_child(const AgentRun& run,
                                        const Delegation& delegation,
                                        const CancelToken& cancel) {
  AgentRunnerOptions options = options_;
  options.agent = delegation.other.agent;
  options.planner = delegation.other.planner;
  options.limits = delegation.limits;
  options.spent = {};
  options.previous.clear();
  options.history = Json::array();
  const std::size_t depth = run.depth + 1;
  if (options_.watch) {
    options.watch = [&](std::string_view type, const Json& data) {
      Json shown = data;
      // Of the innermost run, which reports first.
      if (!shown.contains("depth")) shown["depth"] = depth;
      options_.watch(type, shown);
    };
  }
  AgentRunner runner(std::move(options), tools_, journal_, clock_,
                     rng_.split(delegation.child_run));
  if (journal_.run(delegation.child_run)) {
    RETURN_IF_ERROR(pass_answer(run, delegation.child_run, runner));
    return runner.resume(delegation.child_run, cancel);
  }
  return runner.start(delegation.child_run,
                      delegation.arguments["task"].get<std::string>(),
                      delegation.plan, {.id = run.id, .depth = depth}, cancel);
}

}  // namespace lamarck::agent
