// Rebuilds a run from its journal alone, without its engine and evaluator.

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
  // Mutations of its islands return errors, and its functions cannot be called.
  std::unique_ptr<EvolverState> state;
  JournalPlace end;
};

// Called with each line after it was checked.
using ReplayWatch = std::function<void(const Json& line)>;

// Rebuilds the islands, clusters and best functions, and checks every fact that
// the journal records. The error names the first line that contradicts the
// lines before it. A journal that is shorter than the checkpoint in its folder
// says has lost its last lines, which is an error; one that is longer is fine,
// as a run may be killed between two checkpoints.
Result<ReplayedRun> replay(const std::filesystem::path& journal,
                           const ReplayWatch& watch = {});

}  // namespace lamarck::archipelago
