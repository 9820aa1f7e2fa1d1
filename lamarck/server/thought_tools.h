// The eleven tools of thought, its resources and prompts, as a client of the
// Model Context Protocol sees them.

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

// What a tool works with; all outlive the registry.
struct ThoughtTools {
  thought::ThoughtEngine& engine;
  store::Journal& journal;
  thought::Thinker* thinker = nullptr;  // Null: only the client's own model.
};

// One entry of the list that the registry, the tests and the documentation
// walk.
struct ThoughtTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  bool read_only = false;
  bool idempotent = false;
  bool is_brief = true;  // Waits for the disk at most.
  mcp::Outcome (*call)(const ThoughtTools& with, mcp::CallContext& context,
                       const Json& arguments);
};
std::span<const ThoughtTool> thought_tools();

// The tools, resources, prompts and completions, and what a model should know
// before it uses them.
void add_thought_tools(const ThoughtTools& with, mcp::Registry& registry);

// The addresses of what changed when events were added to a session, each with
// all below it, for those who subscribed to them.
std::vector<std::string> changed_resources(std::string_view run);

}  // namespace lamarck::server
