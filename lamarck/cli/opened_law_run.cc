#include "lamarck/cli/opened_law_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

// Returns what the run says about the problem when its data cannot be read.
FnProblem problem_without_rows(const SearchRun& run, const Error& error) {
  FnProblem problem{.target = run.flags.target.value_or("")};
  problem.remarks.push_back(
      "The data cannot be read, so errors are those of the run: " +
      error.message());
  return problem;
}

// Standard input cannot be read again.
Result<FnProblem> reread_problem(const SearchRun& run) {
  if (!data::is_standard_input(run.data)) return read_fn_problem(run);
  return Error(ErrorCode::Unsupported, "The data came from standard input.");
}

Result<archipelago::JournalPlace> find_end(
    const std::filesystem::path& journal) {
  return archipelago::read_journal(
      journal, [](const Json& /*line*/) { return Result<void>(); });
}

}  // namespace

Result<OpenedLawRun> open_law_run(const std::filesystem::path& folder) {
  OpenedLawRun opened;
  ASSIGN_OR_RETURN(opened.run, read_search_run(folder));
  auto problem = reread_problem(opened.run);
  const bool has_data = problem.has_value();
  opened.problem = has_data ? std::move(*problem)
                            : problem_without_rows(opened.run, problem.error());
  ASSIGN_OR_RETURN(const archipelago::JournalPlace end,
                   find_end(folder / kJournalFile));
  opened.lines = end.lines;
  opened.is_verified = end.is_hashed;
  auto& result = opened.outcome.result;
  ASSIGN_OR_RETURN(
      result,
      law::replayed_laws(folder, has_data ? &opened.problem.known : nullptr));
  if (result.front.empty()) {
    return Error(ErrorCode::NotFound,
                 folder.string() +
                     " contains a run that has not found a law yet; " +
                     unfinished_remedy(folder, std::string(kFnKind)) + ".");
  }
  // Without data, the names of the inputs come from a formula.
  if (!has_data) {
    opened.problem.columns = result.front[0].formula.inputs;
    opened.problem.known.input_names = opened.problem.columns;
  }
  opened.outcome.test_nmse = test_errors(result, opened.problem);
  return opened;
}

Json law_run_json(const OpenedLawRun& opened) {
  Json json = fn_json(opened.outcome, opened.problem, opened.run);
  // A replay knows neither times nor why the run stopped.
  for (const char* name : {"seconds", "evaluations_per_s", "reason"}) {
    json.erase(name);
  }
  json["lines"] = opened.lines;
  json["verified"] = opened.is_verified;
  return json;
}

std::string law_run_text(const OpenedLawRun& opened) {
  std::string text = fn_laws_text(opened.outcome, opened.problem);
  for (const std::string& remark : opened.problem.remarks) {
    text += "Note: " + one_line(remark, 300) + "\n";
  }
  if (!opened.is_verified) text += fmt::format("Note: {}\n", kUnverified);
  return text;
}

}  // namespace lamarck::cli
