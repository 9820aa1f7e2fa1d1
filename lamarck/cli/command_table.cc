#include "lamarck/cli/command_table.h"

#include <array>

namespace lamarck::cli {

std::span<const Command> command_table() {
  // In the order of the help.
  static const std::array kCommands = {
      doctor_command(), evolve_command(), ops_command(),
      neat_command(),   show_command(),   predict_command(),
      replay_command(), export_command(), mcp_command(),
      serve_command(),  think_command(),  completion_command(),
      manual_command(),
  };
  return kCommands;
}

}  // namespace lamarck::cli
