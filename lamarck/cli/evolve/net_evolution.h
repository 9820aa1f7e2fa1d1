// `lamarck evolve net`: from a CSV file to a model, a picture and a report.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/net_flags.h"

namespace lamarck::cli {

// Nothing is written before all that was given is known to be usable.
Result<void> evolve_net(const NetFlags& flags, CommandContext& context);

}  // namespace lamarck::cli
