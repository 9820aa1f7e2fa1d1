// Checks a given plan before its first step acts.

#pragma once

#include "lamarck/agent/agent_plan.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

// Fails if a step calls an unknown tool, refers to a parameter that has no
// value or to a step that does not come before it, or has arguments without
// references that its tool refuses. The error names the step. Whether a called
// skill can be used is checked by the runner.
Result<void> check_agent_plan(const AgentPlan& plan, const ToolRegistry& tools);

}  // namespace lamarck::agent
