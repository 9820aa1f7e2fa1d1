#include "lamarck/agent/skill_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

constexpr std::size_t kMaxSkills = 5;

// A request that the skill was learned from; "" = none.
std::string example_request(const skills::SkillDraft& draft) {
  if (!draft.evals.is_array() || draft.evals.empty()) return "";
  return one_line(draft.evals[0].value("request", ""), 120);
}

}  // namespace

Result<AgentPlan> plan_with_skill(skills::SkillLibrary& library,
                                  const skills::AgentRecord& agent,
                                  const std::string& task,
                                  const CancelToken& cancel) {
  ASSIGN_OR_RETURN(
      const skills::SkillMatches found,
      library.search(agent.org_id, agent.id, task, kMaxSkills, cancel));
  if (found.matches.empty()) return Error(ErrorCode::NotFound, found.reason);
  for (const skills::SkillMatch& match : found.matches) {
    const skills::SkillDraft& draft = match.skill.definition;
    if (!skills::bind_arguments(draft, match.suggested_arguments)) continue;
    return AgentPlan{.steps = {{.action = draft.description,
                                .tool = "skill:" + draft.name,
                                .arguments = match.suggested_arguments}}};
  }
  const skills::SkillMatch& best = found.matches.front();
  const skills::SkillDraft& draft = best.skill.definition;
  const auto bound = skills::bind_arguments(draft, best.suggested_arguments);
  const std::string example = example_request(draft);
  return Error(
      ErrorCode::FailedPrecondition,
      fmt::format("{} The task must say it{}.", bound.error().message(),
                  example.empty() ? "" : ", as in: " + in_quotes(example)));
}

}  // namespace lamarck::agent
