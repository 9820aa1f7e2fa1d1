// Shows how far a large table is read.

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "lamarck/cli/command.h"
#include "lamarck/data/csv.h"

namespace lamarck::cli {

// Returns a callback for CsvOptions that shows progress on a terminal if
// reading takes longer than a second; empty if there is no terminal or no
// progress is wanted. REQUIRES: the context outlives it.
data::CsvWatch watch_reading(const CommandContext& context,
                             const std::filesystem::path& path);

}  // namespace lamarck::cli
