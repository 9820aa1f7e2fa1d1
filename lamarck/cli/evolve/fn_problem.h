// The data of `lamarck evolve fn`, with column names that formulas can use.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/fn_classes.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/data/csv.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

struct FnTest {
  std::string file;  // As given on the command line.
  gp::RegressionProblem problem;
};

struct FnProblem {
  gp::RegressionProblem known;       // Its input names are identifiers.
  std::vector<std::string> columns;  // The names of the inputs in the file.
  std::string target;                // The name of the target in the file.
  std::optional<FnClasses> classes;  // If the target has two words.
  std::vector<FnTest> tests;
  std::vector<std::string> remarks;  // Notes for the user, in sentences.

  // Returns "v_m_s is 'v (m/s)'" for each input with another name in the file.
  std::vector<std::string> renamed() const;
};

// Makes the problem of a table, without tests. A constant target is an error. A
// table with more than gp::kMaxLawInputs inputs or gp::kMaxLawRows rows is
// reduced, and a remark says so. Of `weights`, one for each row of the table or
// none, see gp::with_weights.
Result<FnProblem> make_fn_problem(const SearchRun& run,
                                  const data::Table& table,
                                  std::span<const double> weights = {});

// Reads the data and the test files. Errors name the file. As
// make_fn_problem otherwise.
Result<FnProblem> read_fn_problem(const SearchRun& run,
                                  const CancelToken& cancel = {},
                                  data::CsvWatch watch = {});

// Returns the options of the genetic engine with the functions of --functions,
// or with the default functions if the flag is not given.
Result<gp::GpOptions> make_gp_options(const SearchRun& run);

// Returns the formula of --seed-equation as a function of all inputs of the
// problem, or nothing if the flag is not given.
Result<std::vector<formula::Formula>> seed_formulas(
    const SearchRun& run, const gp::RegressionProblem& problem);

}  // namespace lamarck::cli
