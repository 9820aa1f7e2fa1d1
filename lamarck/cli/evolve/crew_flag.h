// The crew of a run: --crew, or the ranks that an MPI launcher started.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lamarck/cli/command.h"
#include "lamarck/crew/crew.h"
#include "lamarck/crew/crew_tables.h"

namespace lamarck::cli {

// Returns null if the threads of this process are the crew. `url` is that of
// --crew; `run` is what its members need, besides version and instruction set.
Result<std::unique_ptr<crew::Crew>> open_crew(
    const std::optional<std::string>& url, crew::CrewRun run,
    const CommandContext& context);

// Fails unless the text is the URL of a PostgreSQL database.
Result<void> check_crew_url(const std::string& url);

// "host:1234" with the number of this process.
std::string process_name();

}  // namespace lamarck::cli
