// Plans without a model: the skill that fits the task.

#pragma once

#include <string>

#include "lamarck/agent/agent_plan.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/skill_library.h"

namespace lamarck::agent {

// A plan that runs the best of the skills that fit the task and whose
// parameters the task names. Fails with NotFound if no skill fits, and with
// FailedPrecondition, naming the parameters, if the task does not say them.
Result<AgentPlan> plan_with_skill(skills::SkillLibrary& library,
                                  const skills::AgentRecord& agent,
                                  const std::string& task,
                                  const CancelToken& cancel);

}  // namespace lamarck::agent
