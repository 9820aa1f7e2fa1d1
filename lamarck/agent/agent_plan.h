// A plan: the calls that solve a task, in order.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"

namespace lamarck::agent {

inline constexpr std::size_t kMaxPlanSteps = 200;

struct AgentPlan {
  std::vector<skills::SkillStep> steps;
  Json params = Json::object();  // For {"$param": NAME}.
  std::string answer;            // Printed at the end; "" = the last result.
  double reusability = 1;        // The author's view of it; 0 to 1.
};

// {"steps": [{"tool", "arguments", "action"}], "params", "answer",
// "reusability"}, or the list of steps alone. The error names the step.
Result<AgentPlan> parse_agent_plan(const Json& json);
Json to_json(const AgentPlan& plan);

}  // namespace lamarck::agent
