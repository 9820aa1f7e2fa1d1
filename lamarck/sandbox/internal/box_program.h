// The last steps before an untrusted program begins.

#pragma once

#include "lamarck/sandbox/internal/box_plan.h"

namespace lamarck::internal {

// Gives up every right that the program should not have, and becomes the
// program. What fails is written to the report pipe. Called right after fork.
[[noreturn]] void become_program(BoxPlan& plan);

// Takes the user and group `user`, and no other groups. 0 or an errno.
int take_identity(uid_t user);

}  // namespace lamarck::internal
