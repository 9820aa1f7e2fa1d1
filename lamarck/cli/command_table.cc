#include "lamarck/cli/command_table.h"

#include <array>

namespace lamarck::cli {

std::span<const Command> command_table() {
  // In the order of the help: what most people need comes first.
  static const std::array kCommands = {
      evolve_command(), predict_command(), show_command(),
      export_command(), replay_command(),  neat_command(),
      join_command(),   crew_command(),    runs_command(),
      think_command(),  agent_command(),   skills_command(),
      mcp_command(),    serve_command(),   db_command(),
      models_command(), doctor_command(),  completion_command(),
      manual_command(), ops_command(),
  };
  return kCommands;
}

}  // namespace lamarck::cli
