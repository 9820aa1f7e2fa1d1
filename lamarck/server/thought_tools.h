// The thought tools and their resources and prompts for clients of the
// Model Context Protocol.

#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/registry.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/thinker.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::server {

// What a tool works with; all must outlive the registry.
struct ThoughtTools {
  thought::ThoughtEngine& engine;
  store::Journal& journal;
  thought::Thinker* thinker = nullptr;  // Null = only the client's model.
};

// One entry of the list that the registry, the tests and the documentation
// iterate.
struct ThoughtTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  bool read_only = false;
  bool idempotent = false;
  bool blocks_on_disk_only = true;  // Blocks on the disk at most.
  mcp::Outcome (*call)(const ThoughtTools& tools, mcp::CallContext& context,
                       const Json& arguments);
};
std::span<const ThoughtTool> thought_tools();

// Adds the tools, resources, prompts and completions, and the instructions for
// a model.
void add_thought_tools(const ThoughtTools& tools, mcp::Registry& registry);

// The URIs that change when events are added to a session; all URIs below them
// change too.
std::vector<std::string> changed_resources(std::string_view run);

}  // namespace lamarck::server
