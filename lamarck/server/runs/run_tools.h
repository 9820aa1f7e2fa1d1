// The tools for runs: a client's model evolves a network or a law from a table
// and predicts with it.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/registry.h"
#include "lamarck/server/runs/run_service.h"

namespace lamarck::server {

struct RunTools {
  FindRuns find;
  std::string org;
};

// One entry of the list that the registry and the tests iterate.
struct RunTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  bool read_only = false;
  Result<Json> (*call)(const RunTools& tools, mcp::CallContext& context,
                       const Json& arguments);
};
std::span<const RunTool> run_tools();

void add_run_tools(const RunTools& tools, mcp::Registry& registry);

}  // namespace lamarck::server
