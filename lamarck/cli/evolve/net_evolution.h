// `lamarck evolve net`: evolves a network for a CSV file and writes the model,
// a picture and a report.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace lamarck::cli {

// Validates flags and data before it writes anything.
Result<void> evolve_net(const NetFlags& flags, const RecordFlags& record,
                        CommandContext& context);

}  // namespace lamarck::cli
