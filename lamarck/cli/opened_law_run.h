// A run of `lamarck evolve fn`, rebuilt from
// the journal in its folder without a model.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/fn_outcome.h"

namespace lamarck::cli {

struct OpenedLawRun {
  SearchRun run;
  FnProblem problem;         // Without rows if the data cannot be read.
  FnOutcome outcome;         // Without times.
  std::int64_t lines = 0;    // In the journal.
  bool is_verified = false;  // Whether its lines have hashes.
};

// Checks every line of the journal against those before it. Fails if the run
// has not found a law yet.
Result<OpenedLawRun> open_law_run(const std::filesystem::path& folder);

Json law_run_json(const OpenedLawRun& opened);
std::string law_run_text(const OpenedLawRun& opened);

}  // namespace lamarck::cli
