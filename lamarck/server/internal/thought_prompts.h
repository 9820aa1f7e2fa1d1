// Prompts that a user can select in the client.

#pragma once

#include "lamarck/server/thought_tools.h"

namespace lamarck::server {

void add_thought_prompts(const ThoughtTools& tools, mcp::Registry& registry);

}  // namespace lamarck::server
