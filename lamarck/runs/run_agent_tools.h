// The agent's tools that evolve networks and laws, predict with them, and
// compute formulas over tables.

#pragma once

#include <memory>
#include <string>

#include "lamarck/agent/tool_registry.h"
#include "lamarck/agent/workspace.h"
#include "lamarck/base/result.h"

namespace lamarck::runs {

struct RunAgentToolOptions {
  std::string program;  // Path of `lamarck`.
  std::string journal;  // File of the journal.
  std::shared_ptr<agent::Workspace> workspace;
};

// Adds evolve_network, evolve_function, predict and run_formula.
Result<void> add_run_agent_tools(agent::ToolRegistry& registry,
                                 const RunAgentToolOptions& options);

// The folder in which runs of a journal keep their files: "journal.runs" for
// "journal.db".
std::string runs_folder(const std::string& journal);

}  // namespace lamarck::runs
