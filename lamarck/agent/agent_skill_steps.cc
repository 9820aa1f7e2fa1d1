// Steps with the tool "skill:NAME": the steps of that skill come first, in a
// group of their own, and its last result is the result of the step.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/internal/run_messages.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

// Fails if the group was called, directly or not, by a skill of that name, or
// if too many skills wait for each other.
Result<void> check_nesting(const AgentRun& run, std::size_t group,
                           std::string_view name) {
  std::size_t depth = 1;
  for (std::optional<std::size_t> at = group; at; at = run.groups[*at].caller) {
    if (run.groups[*at].skill_name == name) {
      return Error(ErrorCode::FailedPrecondition,
                   "The skill " + in_quotes(name) + " would call itself.");
    }
    ++depth;
  }
  if (depth <= skills::kMaxSkillDepth) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("Skills may call each other at most {} deep.",
                           skills::kMaxSkillDepth));
}

}  // namespace

// Enters the skill that the next step calls or, once it is done, leaves it.
Result<void> AgentRunner::call_skill(AgentRun& run, std::size_t group) {
  if (const StepGroup* called = run.called_group(group); called != nullptr) {
    Json data = {{"group", called - run.groups.data()},
                 {"skill", called->skill_name}};
    if (!called->has_succeeded()) {
      data["message"] =
          fmt::format("The skill {} failed: {}", in_quotes(called->skill_name),
                      internal::failure_text(run, *called));
    }
    return record(run, "skill_left", std::move(data));
  }
  const auto called = make_called_group(run, group);
  if (!called) return refuse(run, group, called.error());
  return record(run, "skill_entered", {{"called", to_json(*called)}});
}

Result<StepGroup> AgentRunner::make_called_group(const AgentRun& run,
                                                 std::size_t group) {
  const StepGroup& caller = run.groups[group];
  const skills::SkillStep& step = caller.steps[caller.results.size()];
  const std::string name(*skills::called_skill(step));
  RETURN_IF_ERROR(check_nesting(run, group, name));
  if (options_.library == nullptr) {
    return Error(ErrorCode::FailedPrecondition,
                 "This agent has no skills, so it cannot run " +
                     in_quotes(step.tool) + ".");
  }
  const skills::AgentRecord& agent = options_.agent;
  ASSIGN_OR_RETURN(
      const skills::Skill skill,
      options_.library->store().usable_skill(agent.org_id, agent.id, name));
  ASSIGN_OR_RETURN(const Json arguments,
                   caller.is_literal ? Result<Json>(step.arguments)
                                     : skills::resolve_step(step, caller.params,
                                                            caller.results));
  ASSIGN_OR_RETURN(Json bound,
                   skills::bind_arguments(skill.definition, arguments));
  const auto use =
      options_.library->begin_use(agent.org_id, agent.id, skill.id, run.id);
  return StepGroup{.skill_id = skill.id,
                   .skill_name = skill.definition.name,
                   .use_id = use ? use->id : "",
                   .caller = group,
                   .caller_step = caller.results.size(),
                   .steps = skill.definition.steps,
                   .params = std::move(bound)};
}

}  // namespace lamarck::agent
