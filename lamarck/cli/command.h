// What a command of the program is, and what it gets to work with.

#pragma once

#include <functional>
#include <ostream>
#include <string_view>

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
  std::ostream& err;  // Progress and remarks.
  const Settings& settings;
  Clock& clock;
  CancelToken cancel;  // Cancelled by Ctrl-C; end soon, keep what there is.
  bool json = false;   // The result is wanted as JSON on `out`.
  bool err_is_terminal = false;
  std::size_t err_width = 80;  // Columns, if it is one.
  const CLI::App& program;     // For commands about the commands.

  // Progress of `label` in the style that the settings and the terminal ask
  // for.
  ProgressOptions progress(std::string label) const;
};

// Runs a parsed command. An error becomes one sentence on stderr and exit
// code 1, or 2 if it is InvalidArgument, or 130 if it is Cancelled.
using CommandAction = std::function<Result<void>(CommandContext&)>;

struct Command {
  std::string_view name;
  std::string_view summary;      // One line, no full stop.
  std::string_view description;  // A paragraph.
  std::string_view example;      // "$ lamarck doctor --json" and what it does.
  bool has_json = true;          // Whether it takes --json.
  // Adds the command's own flags; called once, before parsing. The action
  // owns what the flags write to.
  CommandAction (*configure)(CLI::App& app);
};

}  // namespace lamarck::cli
