// Plans with a small model that can choose a function and fill in its
// arguments, but cannot reason about several steps.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/agent/planner.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/skill_library.h"

namespace lamarck::agent {

struct RoutingPlannerOptions {
  skills::AgentRecord agent;
  std::int64_t max_tokens = 256;  // Per answer.
  std::size_t max_skills = 4;     // In view.
  std::size_t max_calls = 8;      // Of tools, without a skill.
};

// Skills come first: the model sees only those that fit the task, by their own
// names, and one call of a skill is the whole plan. If none fits, the model
// abstains or the skill fails, it sees the tools and asks for one call after
// the other, until it asks for none or for one that it has asked for before.
// There is no system prompt, because such models are not trained with one.
class RoutingPlanner : public Planner {
 public:
  // All must outlive the planner; `library` may be null.
  RoutingPlanner(RoutingPlannerOptions options, llm::ChatModel& model,
                 const ToolRegistry& tools, skills::SkillLibrary* library);

  Result<PlannedTurn> next(const AgentRun& run, Budget& budget,
                           const Record& record,
                           const CancelToken& cancel) override;

 private:
  Result<std::vector<skills::Skill>> offer_skills(const AgentRun& run,
                                                  const Record& record,
                                                  const CancelToken& cancel);
  Result<llm::ChatReply> ask(const Json& messages,
                             std::vector<llm::ChatTool> functions,
                             PlannedTurn& turn, Budget& budget,
                             const CancelToken& cancel);
  Result<PlannedTurn> route_to_tools(const AgentRun& run, PlannedTurn turn,
                                     Budget& budget, const CancelToken& cancel);
  Result<StepGroup> use_skill(const AgentRun& run,
                              const llm::ChatToolCall& call,
                              const skills::Skill& skill);

  RoutingPlannerOptions options_;
  llm::ChatModel& model_;
  const ToolRegistry& tools_;
  skills::SkillLibrary* library_;
};

// The schema of a skill's parameters with the shapes that their values had in
// the tasks that it was learned from, but not the values.
Json shaped_schema(const skills::Skill& skill);

// The functions that a small model sees for skills, in their order: the name of
// each as an identifier, and its description.
std::vector<llm::ChatTool> skill_functions(
    const std::vector<skills::Skill>& skills);

}  // namespace lamarck::agent
