// A run of `lamarck evolve fn` in its folder, as the commands about runs see
// it: rebuilt from its journal, without a model.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/fn_outcome.h"

namespace lamarck::cli {

struct OpenedLawRun {
  SearchRun run;
  FnProblem problem;       // Without rows if the data cannot be read any more.
  FnOutcome outcome;       // Took no time.
  std::int64_t lines = 0;  // Of the journal.
};

// Every line of the journal is checked against those before it.
Result<OpenedLawRun> open_law_run(const std::filesystem::path& folder);

Json law_run_json(const OpenedLawRun& opened);
std::string law_run_text(const OpenedLawRun& opened);

}  // namespace lamarck::cli
