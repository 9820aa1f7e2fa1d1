// `lamarck evolve fn`: finds laws in a CSV file and writes a report.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace lamarck::cli {

// Validates flags, data and model settings before it writes anything.
Result<void> evolve_fn(const SearchFlags& flags, const RecordFlags& record,
                       CommandContext& context);

}  // namespace lamarck::cli
