// Shares the search of `lamarck evolve fn` among the processes of a crew.

#pragma once

#include <cstddef>
#include <memory>

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/crew/crew.h"

namespace lamarck::crew {
class CrewMembership;
}  // namespace lamarck::crew

namespace lamarck::cli {

// Fails if a crew is asked for, by --crew or an MPI launcher, but cannot share
// a run with this engine or this number of targets.
Result<void> check_fn_crew(const SearchFlags& flags, law::LawEngine engine,
                           std::size_t targets);

// Returns null if the threads of this process are the crew.
Result<std::unique_ptr<crew::Crew>> open_fn_crew(
    const std::optional<std::string>& url, const SearchRun& run,
    const CommandContext& context);

// Member: searches until the leader ends the run.
Result<void> help_evolve_fn(SearchRun run, crew::CrewMembership& crew,
                            CommandContext& context);
// The same at another machine.
Result<void> join_evolve_fn(const JoinedRun& joined, crew::CrewMembership& crew,
                            CommandContext& context);

}  // namespace lamarck::cli
