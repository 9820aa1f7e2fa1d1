// The page about a run of `lamarck evolve fn`.

#pragma once

#include <string>

#include "lamarck/cli/evolve/fn_outcome.h"

namespace lamarck::cli {

// A complete HTML page: the front, the law in four notations, what it predicts
// and misses, how it came about, and the facts of the run.
std::string fn_page(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run);

}  // namespace lamarck::cli
