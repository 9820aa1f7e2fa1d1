// What `lamarck evolve fn` found, told as text, as JSON and as files.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/archipelago/law_search.h"
#include "lamarck/base/json.h"
#include "lamarck/cli/fn_problem.h"

namespace lamarck::cli {

struct FnOutcome {
  archipelago::LawSearchResult result;
  std::vector<double> test_nmse;  // Of the chosen law, for each test file.
  double seconds = 0;
  double evaluations_per_s = 0;

  const archipelago::Law& best() const { return result.front[result.best]; }
};

// The errors of the chosen law in the test files.
std::vector<double> test_errors(const archipelago::LawSearchResult& result,
                                const FnProblem& problem);

// The law as a function with its numbers, complete with what it imports.
std::string law_python(const archipelago::Law& law, const FnProblem& problem);
std::string law_latex(const archipelago::Law& law, const FnProblem& problem);
// "y = 0.5*x", with as many digits.
std::string law_text(const archipelago::Law& law, int digits = 6);

Json fn_json(const FnOutcome& outcome, const FnProblem& problem,
             const SearchRun& run);
std::string fn_text(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run);
// Its part about the laws alone.
std::string fn_laws_text(const FnOutcome& outcome, const FnProblem& problem);
// The front as a table.
std::string fn_front_text(const archipelago::LawSearchResult& result);
std::string fn_front_csv(const archipelago::LawSearchResult& result);

}  // namespace lamarck::cli
