// The first process of a box: sets up the isolation, starts the program,
// enforces the time limit and removes all processes at the end.

#pragma once

#include "lamarck/sandbox/internal/box_setup.h"

namespace lamarck::internal {

// Runs in a freshly cloned process with all signals blocked. The parent may
// have several threads, so this must not allocate or lock. Starts when a byte
// arrives on the control pipe; a second byte, or closing the pipe, stops the
// program.
[[noreturn]] void run_box(BoxSetup& setup);

}  // namespace lamarck::internal
