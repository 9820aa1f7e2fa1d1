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
  std::string journal;  // Place of the journal.
  // Where runs keep their files if the journal is in a database.
  std::string data_folder;
  std::shared_ptr<agent::Workspace> workspace;
};

// Adds evolve_network, evolve_function, predict and run_formula.
Result<void> add_run_agent_tools(agent::ToolRegistry& registry,
                                 const RunAgentToolOptions& options);

// The folder in which runs of a journal keep their files: "journal.runs" for
// "journal.db", and "lamarck.runs" in the data folder for the schema "lamarck"
// of a database.
std::string runs_folder(const std::string& journal,
                        const std::string& data_folder);

}  // namespace lamarck::runs
