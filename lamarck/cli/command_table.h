// The one list of commands: parsing, help, manual, completion and tests walk
// it. A command is a file command_<name>.cc and a line in command_table.cc.

#pragma once

#include <span>

#include "lamarck/cli/command.h"

namespace lamarck::cli {

std::span<const Command> command_table();

// Each defined in its own file.
Command agent_command();
Command completion_command();
Command crew_command();
Command db_command();
Command doctor_command();
Command export_command();
Command manual_command();
Command mcp_command();
Command models_command();
Command serve_command();
Command skills_command();
Command think_command();
Command evolve_command();
Command join_command();
Command neat_command();
Command ops_command();
Command predict_command();
Command replay_command();
Command runs_command();
Command show_command();

}  // namespace lamarck::cli
