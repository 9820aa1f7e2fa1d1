// The folder of a run of `lamarck evolve fn` or `lamarck evolve program`.

#pragma once

#include <filesystem>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

// Makes the folder that --out names, if it does not exist yet.
Result<void> make_folder(const std::filesystem::path& folder);

// Makes the folder of a new run. A run of before in it gives way, unless it
// asked a model: what was paid for is kept, and the error says how to go on.
Result<void> begin_search_folder(const SearchRun& run);

// Whether a run in the folder can go on. One that was ended before it recorded
// anything can only begin.
bool has_begun(const std::filesystem::path& folder);

}  // namespace lamarck::cli
