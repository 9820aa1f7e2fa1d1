// The record of `lamarck evolve fn` and `program` in the journal.

#pragma once

#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::cli {

// Everything but the goal.
runs::RunStart search_run_start(const SearchRun& run);

}  // namespace lamarck::cli
