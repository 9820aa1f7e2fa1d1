// The HTML report of `lamarck evolve fn`.

#pragma once

#include <string>

#include "lamarck/cli/evolve/fn_outcome.h"

namespace lamarck::cli {

// Returns a complete HTML page with the chosen law in four notations, the
// Pareto front, predictions and residuals, the lineage of the law, and the
// facts of the run.
std::string fn_page(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run);

}  // namespace lamarck::cli
