// The tools that this program offers to agents, described but not callable: for
// checks of skills that are learned or imported where no agent runs.

#pragma once

#include "lamarck/skills/tool_info.h"

namespace lamarck::runs {

// Finds the tools of add_builtin_tools and add_run_agent_tools by name.
// Thread safety: may be called from any thread.
skills::FindTool known_tools();

}  // namespace lamarck::runs
