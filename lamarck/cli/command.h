// A command of the program, and the context that it runs in.

#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/progress.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/settings.h"

namespace CLI {
class App;
}

namespace lamarck::cli {

struct CommandContext {
  std::ostream& out;  // Results.
  std::ostream& err;  // Progress and notes.
  const Settings& settings;
  Clock& clock;
  // On the clock, when the command started. A time budget counts from here.
  std::chrono::nanoseconds began{0};
  CancelToken cancel;  // Cancelled by Ctrl-C; stop soon, keep results.
  bool json = false;   // Write the result as JSON to `out`.
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t err_width = 80;  // Columns of the terminal.
  const CLI::App& program;     // For the manual and completions.

  // Returns options for a progress display called `label`, in the style that
  // the settings and the terminal call for.
  ProgressOptions progress(std::string label) const;
  std::chrono::nanoseconds time_spent() const {
    return clock.elapsed() - began;
  }
};

// What Ctrl-C prints while a command only reads and computes.
inline constexpr const char* kInterruptedReading =
    "lamarck: Interrupted; nothing is written.\n";

// Runs a parsed command. An error becomes one sentence on stderr and the exit
// code 1, or 2 for InvalidArgument, or 128 plus the number of the signal for
// Cancelled (130 for Ctrl-C).
using CommandAction = std::function<Result<void>(CommandContext&)>;

struct Command {
  std::string_view name;
  std::string_view summary;      // One line, without a period.
  std::string_view description;  // A paragraph.
  std::string_view example;      // Lines such as "lamarck doctor --json".
  bool has_json = true;          // Whether it accepts --json.
  bool has_model = false;        // Whether its help lists the --llm-* settings.
  // Whether several processes of an MPI launcher may run it together.
  bool has_crew = false;
  // Adds the command's flags; called once, before parsing. The returned action
  // owns the variables that the flags write to.
  CommandAction (*configure)(CLI::App& app) = nullptr;
  // A command with subcommands may also have an action of its own.
  std::vector<Command> subcommands = {};
};

}  // namespace lamarck::cli
