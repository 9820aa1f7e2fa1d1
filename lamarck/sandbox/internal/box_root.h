// The private root: a small file system in memory that shows a few folders of
// the machine, read-only, and the program's own.

#pragma once

#include <string>
#include <vector>

#include "lamarck/sandbox/internal/box_plan.h"

namespace lamarck::internal {

// What an interpreter of the machine needs: /usr, the loader, and nothing of
// anyone's. `readable` are further paths; one that does not exist is left out.
std::vector<BoxMount> root_mounts(const std::vector<std::string>& readable);

// Replaces the root of the calling process, which has its own mounts, and goes
// to the work folder. Safe between fork and exec. Fills `failure` and returns
// false if it cannot.
bool enter_private_root(const BoxPlan& plan, BoxReport& failure);

// Writes the job's files, relative to the current folder. Likewise.
bool write_box_files(const std::vector<BoxFile>& files, BoxReport& failure);

}  // namespace lamarck::internal
