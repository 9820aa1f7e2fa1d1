// The tool with which a plan or a model hands a part of a task to another
// agent.

#pragma once

#include <vector>

#include "lamarck/agent/tool_registry.h"
#include "lamarck/skills/agent_record.h"

namespace lamarck::agent {

// Adds `delegate` for these agents; adds nothing if there are none. The runner
// does the work: it records the sub-task and gives it a budget.
Result<void> add_delegate_tool(ToolRegistry& registry,
                               const std::vector<skills::AgentRecord>& agents);

}  // namespace lamarck::agent
