// The first process of a box: builds it, starts the program, watches the time,
// and leaves nothing behind.

#pragma once

#include "lamarck/sandbox/internal/box_plan.h"

namespace lamarck::internal {

// Runs in a process that was just cloned, with all signals blocked, from one
// that may have several threads. Begins when a byte comes through the control
// pipe; a second one, or its end, stops the program.
[[noreturn]] void run_box(BoxPlan& plan);

}  // namespace lamarck::internal
