// The private root: a small file system in memory with a few read-only folders
// of the host and the program's own folder.

#pragma once

#include <string>
#include <vector>

#include "lamarck/sandbox/internal/box_setup.h"

namespace lamarck::internal {

// Returns the mounts that an installed interpreter needs, such as /usr and the
// loader, but no user data. `readable` adds paths; missing ones are ignored.
std::vector<BoxMount> root_mounts(const std::vector<std::string>& readable);

// Replaces the root of the calling process and changes to the work folder. Safe
// between fork and exec. On failure fills `failure` and returns false.
// REQUIRES: the process has its own mount namespace.
bool enter_private_root(const BoxSetup& setup, BoxReport& failure);

// Writes the job's files, relative to the current folder. Reports failures as
// above.
bool write_box_files(const std::vector<BoxFile>& files, BoxReport& failure);

}  // namespace lamarck::internal
