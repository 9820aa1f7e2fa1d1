// The crew of a run: --crew, or the ranks that an MPI launcher started.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/cli/command.h"
#include "lamarck/crew/crew.h"
#include "lamarck/crew/crew_tables.h"

namespace lamarck::crew {
class CrewMembership;
}  // namespace lamarck::crew

namespace lamarck::cli {

// What the help of each command says about --crew.
inline constexpr const char* kCrewSummary =
    "Database at which other machines join: `lamarck join URL`";

// Returns null if the threads of this process are the crew. `url` is that of
// --crew; `run` is what its members need, besides version and instruction set.
// This process computes `threads` pieces at once; 0: one per core.
Result<std::unique_ptr<crew::Crew>> open_crew(
    const std::optional<std::string>& url, crew::CrewRun run,
    std::size_t threads, const CommandContext& context);

// For a file that all processes of the crew read, if there is one: fails for
// standard input. With --crew, adds a copy that the members get.
Result<void> add_crew_file(const std::optional<std::string>& url,
                           const std::filesystem::path& path,
                           crew::CrewRun& run);

// Computes the seeds 1 to `count` by the crew, with progress: `work` gets the
// seed - 1, and the result of each is "" if it was interrupted.
Result<std::vector<std::string>> map_seeds(std::int64_t count, crew::Crew& crew,
                                           const crew::Work& work,
                                           CommandContext& context);

// For a member that cannot take part: tells the leader why, waits until the run
// has ended, and returns `reason`.
Error leave_crew(crew::CrewMembership& crew, const Error& reason);

// Fails unless the text is the URL of a PostgreSQL database.
Result<void> check_crew_url(const std::string& url);

// "host:1234" with the number of this process.
std::string process_name();

}  // namespace lamarck::cli
