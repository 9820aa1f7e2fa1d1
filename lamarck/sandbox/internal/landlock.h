// Landlock: files outside of a list cannot be reached, whoever owns them.

#pragma once

#include <vector>

#include "lamarck/sandbox/internal/box_plan.h"

namespace lamarck::internal {

// The version that the kernel has; 0 if none.
int landlock_version();

// Restricts the calling process for good: it reaches only what `rules` name,
// connects to no TCP port, and signals no process outside. Returns 0 or an
// errno. Safe between fork and exec.
int restrict_by_landlock(int version, const std::vector<BoxRule>& rules);

}  // namespace lamarck::internal
