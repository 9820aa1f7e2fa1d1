// `lamarck evolve net`: evolves a network for a CSV file and writes the model,
// a picture and a report.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace lamarck::crew {
class CrewMembership;
}  // namespace lamarck::crew

namespace lamarck::cli {

// Computes pieces of a run, islands or seeds, for the leader of its crew;
// writes nothing.
Result<void> help_evolve_net(NetRun run, crew::CrewMembership& crew,
                             CommandContext& context);
// The same for a member at another machine.
Result<void> join_evolve_net(const JoinedRun& joined,
                             crew::CrewMembership& crew,
                             CommandContext& context);

// Validates flags and data before it writes anything.
Result<void> evolve_net(const NetFlags& flags, const RecordFlags& record,
                        CommandContext& context);

}  // namespace lamarck::cli
