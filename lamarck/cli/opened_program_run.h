// A run of `lamarck evolve program`, rebuilt from the journal in its folder
// without running any program.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

struct OpenedProgramRun {
  SearchRun run;
  std::string program;  // The complete best program.
  std::string source;   // Its evolved function.
  double score = 0;
  std::vector<double> scores;  // One per input.
  archipelago::EvolverCounts counts;
  std::int64_t lines = 0;    // In the journal.
  bool is_verified = false;  // Whether its lines have hashes.
};

// Fails if the run has not evaluated a program yet.
Result<OpenedProgramRun> open_program_run(const std::filesystem::path& folder);

Json program_run_json(const OpenedProgramRun& opened);
std::string program_run_text(const OpenedProgramRun& opened);

}  // namespace lamarck::cli
