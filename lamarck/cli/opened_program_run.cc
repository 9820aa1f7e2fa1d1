#include "lamarck/cli/opened_program_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/problems/program_folder.h"

namespace lamarck::cli {
namespace {

// Returns the program with the evolved function in it, or only the function if
// the folder of the program cannot be read.
std::string whole_program(const std::filesystem::path& folder,
                          const std::string& source) {
  const auto read = problems::read_program_folder(folder);
  return read ? read->program.with(source) : source;
}

}  // namespace

Result<OpenedProgramRun> open_program_run(const std::filesystem::path& folder) {
  OpenedProgramRun opened;
  ASSIGN_OR_RETURN(opened.run, read_search_run(folder));
  ASSIGN_OR_RETURN(const archipelago::ReplayedRun replayed,
                   archipelago::replay(folder / kJournalFile));
  const archipelago::FunctionPtr& best = replayed.state->best();
  if (best == nullptr) {
    return Error(ErrorCode::NotFound,
                 folder.string() +
                     " contains a run that has not evaluated a program yet; " +
                     unfinished_remedy(folder, std::string(kProgramKind)) +
                     ".");
  }
  opened.source = best->skeleton()->source();
  opened.program = whole_program(opened.run.data, opened.source);
  opened.score = best->score();
  opened.scores = best->evaluation().scores;
  opened.counts = replayed.state->counts();
  opened.lines = replayed.end.lines;
  opened.is_verified = replayed.end.is_hashed;
  return opened;
}

Json program_run_json(const OpenedProgramRun& opened) {
  return {
      {"kind", kProgramKind},
      {"best",
       {{"source", opened.source},
        {"score", opened.score},
        {"scores", opened.scores}}},
      {"evaluations", opened.counts.evaluations},
      {"tokens", opened.counts.cost.tokens_in + opened.counts.cost.tokens_out},
      {"cost", 1e-6 * static_cast<double>(opened.counts.cost.money_micros)},
      {"seed", opened.run.evolver.seed},
      {"out", opened.run.out.string()},
      {"lines", opened.lines},
      {"verified", opened.is_verified}};
}

std::string program_run_text(const OpenedProgramRun& opened) {
  // Adding 0 turns -0 into 0.
  return fmt::format("Best function, with score {:.6g}:\n{}",
                     opened.score + 0.0, opened.source) +
         (opened.is_verified ? "" : fmt::format("\nNote: {}\n", kUnverified));
}

}  // namespace lamarck::cli
