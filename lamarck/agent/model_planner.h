// Plans with a language model: it sees the task, the tools and the skills that
// fit, and asks for calls until it finishes.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::agent {

struct ModelPlannerOptions {
  skills::AgentRecord agent;
  std::int64_t max_tokens = 2048;  // Per answer.
  std::optional<double> temperature;
  std::size_t max_skills = 5;  // In view.
  // For models without tool calling: the model answers with JSON, and the
  // values of arguments must come from the task, earlier results or a skill.
  bool uses_json_protocol = false;
};

// Results of tools are sent as data that is marked as untrusted. The functions
// that the model sees are the tools ('.' becomes "__"), the skills ("skill_1"
// ...) and "finish".
class ModelPlanner : public Planner {
 public:
  // All must outlive the planner; `library` and `thoughts` may be null.
  ModelPlanner(ModelPlannerOptions options, llm::ChatModel& model,
               const ToolRegistry& tools, skills::SkillLibrary* library,
               thought::ThoughtEngine* thoughts);

  Result<PlannedTurn> next(const AgentRun& run, Budget& budget,
                           const Record& record,
                           const CancelToken& cancel) override;

 private:
  Result<void> look_up_skills(const AgentRun& run, const Record& record,
                              const CancelToken& cancel);
  std::vector<skills::Skill> offered_skills(const AgentRun& run) const;
  Result<llm::ChatReply> ask(const Json& messages,
                             std::vector<llm::ChatTool> functions,
                             Budget& budget, const CancelToken& cancel);
  StepGroup make_group(const AgentRun& run, const llm::ChatToolCall& call,
                       const std::vector<skills::Skill>& skills);

  ModelPlannerOptions options_;
  llm::ChatModel& model_;
  const ToolRegistry& tools_;
  skills::SkillLibrary* library_;
  thought::ThoughtEngine* thoughts_;
};

}  // namespace lamarck::agent
