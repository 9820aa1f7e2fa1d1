// What `lamarck evolve fn` found, told as text, as JSON and as files.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/fn_problem.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

struct FnOutcome {
  law::LawSearchResult result;
  std::vector<double> test_nmse;  // Of the chosen law, for each test file.
  double seconds = 0;
  double evaluations_per_s = 0;

  const law::Law& best() const { return result.front[result.best]; }
};

// The errors of the chosen law in the test files.
std::vector<double> test_errors(const law::LawSearchResult& result,
                                const FnProblem& problem);

// The law as a function with its numbers, complete with what it imports.
std::string law_python(const law::Law& law, const FnProblem& problem);
std::string law_latex(const law::Law& law, const FnProblem& problem);
// "y = 0.5*x", with as many digits.
std::string law_text(const law::Law& law, int digits = 6);

Json fn_json(const FnOutcome& outcome, const FnProblem& problem,
             const SearchRun& run);
std::string fn_text(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run);
// Its part about the laws alone.
std::string fn_laws_text(const FnOutcome& outcome, const FnProblem& problem);
// The front as a table.
std::string fn_front_text(const law::LawSearchResult& result);
std::string fn_front_csv(const law::LawSearchResult& result);

}  // namespace lamarck::cli
