// The last steps before the untrusted program starts.

#pragma once

#include "lamarck/sandbox/internal/box_setup.h"

namespace lamarck::internal {

// Drops all privileges that the program must not have, then executes it.
// Reports a failure through the report pipe. Called right after the fork.
[[noreturn]] void become_program(BoxSetup& setup);

// Switches to user and group `user` without further groups. Returns 0 or an
// errno.
int take_identity(uid_t user);

}  // namespace lamarck::internal
