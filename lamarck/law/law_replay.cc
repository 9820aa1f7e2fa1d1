#include "lamarck/law/internal/law_replay.h"

#include <optional>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/checkpoint.h"
#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/archipelago/spawn_evolver.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/law/internal/law_result.h"
#include "lamarck/law/internal/law_rows.h"

namespace lamarck::law {
namespace {

using archipelago::kJournalName;

// Rebuilds the recorder and the stop rule of a run from its journal.
class LawMemory {
 public:
  LawMemory(LawRecorder& recorder, StopRule& rule)
      : recorder_(recorder), rule_(rule) {}

  Result<void> apply(const Json& line) {
    ASSIGN_OR_RETURN(const auto event, json_field<std::string>(line, "event"));
    if (event == "first") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::first_record_from(line, reading_));
      recorder_.add(record.fn);
    } else if (event == "function") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::function_record_from(line, reading_));
      const bool is_kept =
          record.evaluation_source != archipelago::EvaluationSource::Duplicate;
      if (is_kept && !record.is_rejected) recorder_.add(record.fn);
    } else if (event == "cycle") {
      ASSIGN_OR_RETURN(const auto record, archipelago::cycle_record_from(line));
      is_over_ = rule_.is_over(recorder_, record.evaluations);
    }
    return {};
  }
  bool is_over() const { return is_over_; }

 private:
  LawRecorder& recorder_;
  StopRule& rule_;
  archipelago::FunctionReading reading_{archipelago::formula_reader(), nullptr};
  bool is_over_ = false;
};

Result<std::uint64_t> read_seed(const std::filesystem::path& journal) {
  std::optional<Result<archipelago::RunRecord>> run;
  ASSIGN_OR_RETURN(
      const archipelago::JournalPlace end,
      archipelago::read_journal(journal, [&](const Json& line) -> Result<void> {
        if (!run) run = archipelago::run_record_from(line);
        return {};
      }));
  if (!run || end.lines == 0) {
    return Error(
        ErrorCode::DataDamaged,
        "The journal of the run is empty; start the run again in a new "
        "folder.");
  }
  RETURN_IF_ERROR(*run);
  return run->value().options.seed;
}

}  // namespace

Result<bool> replay_to_checkpoint(const std::filesystem::path& folder,
                                  LawRecorder& recorder, StopRule& rule) {
  ASSIGN_OR_RETURN(
      const archipelago::Checkpoint checkpoint,
      archipelago::load_checkpoint(folder / archipelago::kCheckpointName));
  LawMemory memory(recorder, rule);
  RETURN_IF_ERROR(archipelago::read_journal(
      folder / kJournalName,
      [&](const Json& line) { return memory.apply(line); },
      &checkpoint.journal));
  return memory.is_over();
}

Result<LawSearchResult> replayed_laws(const std::filesystem::path& folder,
                                      const gp::RegressionProblem* problem) {
  SplitProblem rows;
  if (problem != nullptr) {
    ASSIGN_OR_RETURN(const std::uint64_t seed,
                     read_seed(folder / kJournalName));
    rows = split_problem(*problem, seed);
  }
  LawRecorder recorder(problem == nullptr ? nullptr : &rows.seen);
  StopRule rule;
  LawMemory memory(recorder, rule);
  Result<void> applied;
  ASSIGN_OR_RETURN(
      const archipelago::ReplayedRun run,
      archipelago::replay(folder / kJournalName, [&](const Json& line) {
        if (applied) applied = memory.apply(line);
      }));
  if (!applied) return applied.error();
  LawSearchResult result;
  result.counts = run.state->counts();
  if (memory.is_over()) {
    result.end = archipelago::EvolverEnd::Goal;
    result.reason = kExactReason;
  }
  if (problem != nullptr) {
    polish_front(result, recorder, *problem, {});
    return result;
  }
  result.front = recorder.front().laws();
  if (result.front.empty()) return result;
  result.best = result.front.size() - 1;
  result.lineage = recorder.lineage(result.front.back().id);
  return result;
}

}  // namespace lamarck::law
