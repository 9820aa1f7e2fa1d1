// Sessions, branches, events and graphs as MCP resources that can be read and
// subscribed to.

#pragma once

#include "lamarck/server/thought_tools.h"

namespace lamarck::server {

void add_thought_resources(const ThoughtTools& tools, mcp::Registry& registry);

// Ids and names that start with `value`; for completions. Sessions are sorted
// newest first.
std::vector<std::string> sessions_like(store::Journal& journal,
                                       std::string_view value);
std::vector<std::string> branches_like(thought::ThoughtEngine& engine,
                                       std::string_view session,
                                       std::string_view value);

}  // namespace lamarck::server
