// The actions of `lamarck think` that watch a session and show what was
// learned.

#pragma once

#include "lamarck/cli/think_context.h"

namespace lamarck::cli {

// Draws the session again whenever it changes, until it ends or Ctrl-C; on a
// terminal also every second, in place.
Result<void> watch_session(const ThinkContext& think);

// Lists the success rates of healing strategies and how plans ended. With
// --reset, forgets them first.
Result<void> show_healing(const ThinkContext& think);

}  // namespace lamarck::cli
