// ACT: one call of a tool, or of a skill.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/internal/run_messages.h"
#include "lamarck/base/macros.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

using internal::error_result;

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

}  // namespace

Result<void> AgentRunner::refuse(AgentRun& run, std::size_t group,
                                 const Error& why) {
  const std::size_t done = run.groups[group].results.size();
  return record(run, "step_refused",
                {{"group", group},
                 {"tool", run.groups[group].steps[done].tool},
                 {"message", why.message()}});
}

// Makes the next step of the first group that is not done.
Result<void> AgentRunner::act(AgentRun& run, const CancelToken& cancel) {
  const StepGroup* group = run.pending();
  if (group != nullptr && !run.is_delegation_next()) {
    const auto index = static_cast<std::size_t>(group - run.groups.data());
    const skills::SkillStep& step = group->steps[group->results.size()];
    RETURN_IF_ERROR(skills::called_skill(step) ? call_skill(run, index)
                                               : call_tool(run, index, cancel));
    if (run.question) return {};  // The same step comes again.
  }
  return move(run, AgentState::Observe);
}

Result<void> AgentRunner::call_tool(AgentRun& run, std::size_t index,
                                    const CancelToken& cancel) {
  const StepGroup& group = run.groups[index];
  const skills::SkillStep& step = group.steps[group.results.size()];
  const Tool* tool = tools_.find(step.tool);
  Result<Json> arguments =
      group.is_literal
          ? Result<Json>(step.arguments)
          : skills::resolve_step(step, group.params, group.results);
  if (arguments) arguments = tools_.checked_arguments(step.tool, *arguments);
  const Result<bool> allowed = arguments
                                   ? check_permission(run, *tool, *arguments)
                                   : Result<bool>(arguments.error());
  if (!allowed) return refuse(run, index, allowed.error());
  if (!*allowed) return {};
  return make_call(run, index, *tool, *arguments, cancel);
}

Result<bool> AgentRunner::check_permission(AgentRun& run, const Tool& tool,
                                           const Json& arguments) {
  const auto needed = dangers(tool.info);
  const auto is_listed = [&](const std::string& name) {
    return std::ranges::find(options_.agent.allowed, name) !=
           options_.agent.allowed.end();
  };
  if (needed.empty() || options_.allows_all || is_listed(tool.info.name) ||
      run.permissions.contains(tool.info.name) ||
      std::ranges::all_of(needed, is_listed)) {
    return true;
  }
  return ask_person(
      run, tool.info,
      {.tool = tool.info.name, .arguments = arguments, .needs = needed},
      fmt::format("{} was not allowed ({}); allow it with --yes, or with "
                  "`lamarck agent config {} --allow {}`.",
                  tool.info.name, fmt::join(needed, ", "), options_.agent.name,
                  tool.info.name));
}

std::optional<std::int64_t> AgentRunner::steps_left() const {
  const auto limit = options_.limits.evaluations;
  if (!limit) return std::nullopt;
  return std::max<std::int64_t>(*limit - budget_->spent().evaluations, 0);
}

Result<Reservation> AgentRunner::reserve(const BudgetAmounts& amounts) {
  const auto left = steps_left();
  if (left && *left < amounts.evaluations) {
    return Error(ErrorCode::BudgetExceeded,
                 fmt::format("The limit of {} steps is used up; raise it with "
                             "--steps.",
                             *options_.limits.evaluations));
  }
  return budget_->reserve(amounts);
}

Result<void> AgentRunner::refuse_unpaid(AgentRun& run, std::size_t group,
                                        const Error& why) {
  guard_->has_ended = !run.has_model || guard_->was_refused;
  guard_->was_refused = true;
  return refuse(run, group, why);
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
  auto reservation = reserve({.evaluations = 1});
  if (!reservation) return refuse_unpaid(run, group, reservation.error());
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
                 {"ms", internal::milliseconds_since(clock_, start)}});
}

// After a crash: ends a call whose outcome is not known.
Result<void> AgentRunner::settle_unfinished(AgentRun& run) {
  const CallRecord* record_of_call = run.unfinished();
  if (record_of_call == nullptr) return {};
  // The other agent continues where it was.
  if (!record_of_call->child_run.empty()) return {};
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

}  // namespace lamarck::agent
