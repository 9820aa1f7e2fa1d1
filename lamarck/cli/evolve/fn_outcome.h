// The result of `lamarck evolve fn` as text, JSON and files.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/fn_problem.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

struct FnOutcome {
  law::LawSearchResult result;
  std::vector<double> test_nmse;  // The chosen law, per test file.
  double seconds = 0;
  double evaluations_per_s = 0;

  const law::Law& best() const { return result.front[result.best]; }
};

// Returns the error (NMSE) of the chosen law on each test file.
std::vector<double> test_errors(const law::LawSearchResult& result,
                                const FnProblem& problem);

// Returns the law as a Python function with
// its fitted constants, including the imports.
std::string law_python(const law::Law& law, const FnProblem& problem);
std::string law_latex(const law::Law& law, const FnProblem& problem);
// Returns the formula in infix notation, such as "0.5*x", with `digits`
// significant digits.
std::string law_text(const law::Law& law, int digits = 6);
// Returns what is known about the law, one clause each: whether it is exact,
// the recognized constants with what was fitted, and error bars.
std::vector<std::string> law_notes(const law::Law& law);

Json fn_json(const FnOutcome& outcome, const FnProblem& problem,
             const SearchRun& run);
std::string fn_text(const FnOutcome& outcome, const FnProblem& problem,
                    const SearchRun& run);
// How well the sign of the law decides between the classes of the rows; nullopt
// if the target has numbers.
std::optional<SignJudgement> judge_classes(const FnOutcome& outcome,
                                           const FnProblem& problem);
// The part of fn_text about the laws.
std::string fn_laws_text(const FnOutcome& outcome, const FnProblem& problem);
// The Pareto front of size and error as a table.
std::string fn_front_text(const law::LawSearchResult& result);
std::string fn_front_csv(const law::LawSearchResult& result);

}  // namespace lamarck::cli
