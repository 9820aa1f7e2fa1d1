#include "lamarck/agent/delegate_tool.h"

#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent {

Result<void> add_delegate_tool(ToolRegistry& registry,
                               const std::vector<skills::AgentRecord>& agents) {
  if (agents.empty()) return {};
  Json names = Json::array();
  std::string known;
  for (const skills::AgentRecord& agent : agents) {
    names.push_back(agent.name);
    known += (known.empty() ? "" : "; ") + agent.name;
    if (!agent.instructions.empty()) {
      known += ": " + one_line(agent.instructions, 120);
    }
  }
  const Json schema = {
      {"type", "object"},
      {"properties",
       {{"agent",
         {{"type", "string"}, {"enum", names}, {"description", known}}},
        {"task",
         {{"type", "string"},
          {"minLength", 1},
          {"maxLength", 20'000},
          {"description", "All that it needs to know; it sees nothing else."}}},
        {"steps",
         {{"type", "integer"},
          {"minimum", 1},
          {"description", "At most so many tool calls."}}},
        {"tokens",
         {{"type", "integer"},
          {"minimum", 1},
          {"description", "At most so many tokens."}}},
        {"plan",
         {{"type", {"object", "array"}},
          {"description", "A plan to follow; leave out to let it plan."}}}}},
      {"required", {"agent", "task"}},
      {"additionalProperties", false}};
  return registry.add(
      {.info = {.name = std::string(kDelegateTool),
                .description = "Lets another agent work on a part of the task.",
                .input_schema = schema,
                // Its run is resumed, never repeated.
                .is_idempotent = true},
       .limits = {},
       .run = [](const Json&, const ToolContext&) -> Result<Json> {
         return Error(ErrorCode::Unsupported,
                      "Only a run of an agent can delegate.");
       }});
}

}  // namespace lamarck::agent
