// Landlock: restricts a process to a list of files, whatever the permissions of
// the others.

#pragma once

#include <vector>

#include "lamarck/sandbox/internal/box_setup.h"

namespace lamarck::internal {

// The Landlock version of the kernel; 0 if it has none.
int landlock_version();

// Permanently restricts the calling process: it can access only the paths in
// `rules`, and, if the version supports it, cannot use TCP or signal processes
// outside. Returns 0 or an errno. Safe between fork and exec.
int restrict_by_landlock(int version, const std::vector<BoxRule>& rules);

}  // namespace lamarck::internal
