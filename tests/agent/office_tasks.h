// Three-step tasks in four families, and the tools that solve them. What a tool
// returns depends on its arguments, so a wrong argument leads to a wrong end.

#pragma once

#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_plan.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/json.h"

namespace lamarck {

// What the writing tools were called with, in order.
struct Office {
  std::vector<Json> changes;
};
// `office` must outlive the tools.
void add_office_tools(agent::ToolRegistry& tools, Office& office);

struct OfficeTask {
  std::string family;
  std::string request;
  agent::AgentPlan plan;  // That solves it.
};
// Tasks with different numbers share no values; their wordings vary.
std::vector<OfficeTask> office_tasks(int number);

}  // namespace lamarck
