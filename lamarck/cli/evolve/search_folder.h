// The folder of a run of `lamarck evolve fn` or `lamarck evolve program`.

#pragma once

#include <filesystem>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

// What Ctrl-C prints while data is read and prepared.
inline constexpr const char* kInterruptedBefore =
    "lamarck: Interrupted before the search began; nothing is written.\n";

// Creates the folder of --out if it does not exist.
Result<void> make_folder(const std::filesystem::path& folder);

// Creates the folder of a new run. Replaces an earlier run in it, but fails if
// that run used a model, because its answers cost money.
Result<void> prepare_search_folder(const SearchRun& run);

// Whether the folder has a checkpoint to resume from. A run that stopped before
// its first checkpoint can only start over.
bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace lamarck::cli
