// A run of another machine, as its members get it.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/crew/crew_tables.h"

namespace lamarck::cli {

struct JoinedRun {
  std::string flags;                         // JSON.
  std::vector<std::filesystem::path> files;  // Copies, in the leader's order.
  std::filesystem::path folder;              // Private; contains the files.
  std::size_t threads = 1;                   // Pieces to compute at once.
};

// Writes the files of the run into the folder. Names may contain folders.
Result<JoinedRun> unpack_run(const crew::CrewRun& run,
                             const std::filesystem::path& folder,
                             std::size_t threads);

}  // namespace lamarck::cli
