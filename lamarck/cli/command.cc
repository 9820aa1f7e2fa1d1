#include "lamarck/cli/command.h"

#include <utility>

namespace lamarck::cli {

ProgressOptions CommandContext::progress(std::string label) const {
  ProgressOptions options{.label = std::move(label), .width = err_width};
  const std::string& wanted = settings.text("progress");
  if (wanted == "auto") {
    options.style = err_is_terminal ? ProgressStyle::Bar : ProgressStyle::Lines;
  } else {
    // Settings::resolve has checked that the name is valid.
    options.style = parse_progress_style(wanted).value();
  }
  return options;
}

}  // namespace lamarck::cli
