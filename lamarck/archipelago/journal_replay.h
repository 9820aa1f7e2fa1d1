// A run again from its journal alone, without its engine and evaluator.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/journal_record.h"
#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

struct ReplayedRun {
  RunRecord run;
  // Its islands give errors instead of mutations, and its functions cannot be
  // called.
  std::unique_ptr<EvolverState> state;
  JournalPlace end;
};

// Hears of every line, as it was read.
using ReplayWatch = std::function<void(const Json& line)>;

// Rebuilds islands, clusters and bests, and checks every fact that the journal
// records on the way. The error names the first line that tells something else
// than what the lines before it lead to.
Result<ReplayedRun> replay(const std::filesystem::path& journal,
                           const ReplayWatch& watch = {});

}  // namespace lamarck::archipelago
