// The tables of `lamarck evolve fn`, with names that formulas can use.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

struct FnTest {
  std::string file;  // As it was given.
  gp::RegressionProblem problem;
};

struct FnProblem {
  // Its names are identifiers.
  gp::RegressionProblem known;
  std::vector<std::string> columns;  // What the inputs are called in the file.
  std::string target;                // Likewise.
  std::vector<FnTest> tests;
  std::vector<std::string> remarks;  // Whole sentences.

  // "v_m_s is 'v (m/s)'", for inputs that have another name in the file.
  std::vector<std::string> renamed() const;
};

// Errors name the file. A target that never changes is one.
Result<FnProblem> read_fn_problem(const SearchRun& run);

// The functions of --functions as the genetic engine takes them; nothing given
// leaves its own.
Result<gp::GpOptions> gp_options_of(const SearchRun& run);

// The equation to begin with, of exactly the problem's inputs.
Result<std::vector<formula::Formula>> seed_formulas(
    const SearchRun& run, const gp::RegressionProblem& problem);

}  // namespace lamarck::cli
