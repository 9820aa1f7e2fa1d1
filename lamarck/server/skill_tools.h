// The skill tools for clients of the Model Context Protocol: find a skill for a
// task, report what came of it, and learn from a finished task.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/registry.h"
#include "lamarck/server/skill_service.h"

namespace lamarck::server {

// What a tool works with; the service must outlive the registry.
struct SkillTools {
  SkillService& service;
  std::string org;  // All calls are for this organization.
};

// One entry of the list that the registry, the tests and the documentation
// iterate.
struct SkillTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  bool read_only = false;
  Result<Json> (*call)(const SkillTools& tools, mcp::CallContext& context,
                       const Json& arguments);
};
std::span<const SkillTool> skill_tools();

// Adds the tools, and to the instructions for a model when to use them.
void add_skill_tools(const SkillTools& tools, mcp::Registry& registry);

}  // namespace lamarck::server
