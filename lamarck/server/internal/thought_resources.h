// Sessions, branches, events and graphs as resources to read and to watch.

#pragma once

#include "lamarck/server/thought_tools.h"

namespace lamarck::server {

void add_thought_resources(const ThoughtTools& with, mcp::Registry& registry);

// Ids and names that begin with `value`, newest first; for completions.
std::vector<std::string> sessions_like(store::Journal& journal,
                                       std::string_view value);
std::vector<std::string> branches_like(thought::ThoughtEngine& engine,
                                       std::string_view session,
                                       std::string_view value);

}  // namespace lamarck::server
