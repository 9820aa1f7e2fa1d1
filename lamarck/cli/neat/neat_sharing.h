// Shares the work of `lamarck neat` among the processes of a crew: the genomes
// of a generation or, with --seeds, whole runs.

#pragma once

#include <memory>
#include <vector>

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/neat/neat_flags.h"
#include "lamarck/crew/crew.h"
#include "lamarck/report/neat_report.h"

namespace lamarck::crew {
class CrewMembership;
}  // namespace lamarck::crew

namespace lamarck::cli {

// The task with the given population.
Result<neat::NeatBenchmark> make_neat_benchmark(const NeatFlags& flags,
                                                const CancelToken& cancel);
neat::Population first_generation(const neat::NeatBenchmark& benchmark,
                                  std::uint64_t seed);

// Returns null if the threads of this process are the crew.
Result<std::unique_ptr<crew::Crew>> open_neat_crew(
    const NeatFlags& flags, const CommandContext& context);

struct NeatSeeds {
  std::vector<report::NeatRun> runs;  // Those that finished.
  double cpu_seconds = 0;
};
// Leader: runs the seeds 1 to K.
Result<NeatSeeds> share_neat_seeds(const neat::NeatBenchmark& benchmark,
                                   const NeatFlags& flags, crew::Crew& crew,
                                   CommandContext& context);

// Member: computes pieces until the leader ends the run.
Result<void> help_neat(const NeatFlags& flags, crew::CrewMembership& crew,
                       CommandContext& context);
// The same at another machine.
Result<void> join_neat(const JoinedRun& joined, crew::CrewMembership& crew,
                       CommandContext& context);

}  // namespace lamarck::cli
