// `lamarck evolve program`: improves the marked function of a program by the
// scores of its evaluate.py.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace lamarck::cli {

// Validates flags, program and model settings before it writes anything.
Result<void> evolve_program(const SearchFlags& flags, const RecordFlags& record,
                            CommandContext& context);

}  // namespace lamarck::cli
