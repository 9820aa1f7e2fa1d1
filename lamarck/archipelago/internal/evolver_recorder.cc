#include "lamarck/archipelago/internal/evolver_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "lamarck/archipelago/evolver_options_json.h"
#include "lamarck/archipelago/journal_fold.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

Error other_run(const std::filesystem::path& folder, std::string_view what) {
  return {
      ErrorCode::FailedPrecondition,
      fmt::format("The run in {} cannot be resumed: {}. Use the settings it "
                  "was started with, or another folder.",
                  folder.string(), what)};
}

// The cost of the lines after `place`, which a resumed run repeats. Stops at a
// line that cannot be read; a crash may have left it incomplete.
MutationCost cost_after(const std::filesystem::path& path,
                        const JournalPlace& place) {
  MutationCost cost;
  std::int64_t lines = 0;
  const auto add = [&](const Json& line) -> Result<void> {
    if (++lines <= place.lines) return {};
    ASSIGN_OR_RETURN(const MutationCost own, cost_record_from(line));
    cost.tokens_in += own.tokens_in;
    cost.tokens_out += own.tokens_out;
    cost.money_micros += own.money_micros;
    return {};
  };
  static_cast<void>(read_journal(path, add).has_value());
  return cost;
}

// Raises the tokens and money spent to those of the whole journal: they are
// paid for, also for work that is repeated.
void raise_spending(const MutationCost& before, const MutationCost& lost,
                    BudgetAmounts& spent) {
  const std::int64_t tokens =
      before.tokens_in + before.tokens_out + lost.tokens_in + lost.tokens_out;
  spent.tokens = std::max(spent.tokens, tokens);
  spent.money_micros =
      std::max(spent.money_micros, before.money_micros + lost.money_micros);
}

}  // namespace

EvolverRecorder::EvolverRecorder(const EvolverOptions& options,
                                 const EvolverParts& parts)
    : options_(options), parts_(parts) {}

Result<void> EvolverRecorder::create() {
  if (!parts_.folder) return {};
  std::error_code fault;
  std::filesystem::create_directories(*parts_.folder, fault);
  if (fault) {
    return Error(ErrorCode::IoFailed,
                 fmt::format("Cannot create the folder {}: {}.",
                             parts_.folder->string(), fault.message()));
  }
  auto journal = JournalWriter::create(*parts_.folder / kJournalName);
  if (!journal && journal.error().code() == ErrorCode::AlreadyExists) {
    return Error(
        ErrorCode::AlreadyExists,
        fmt::format("The folder {} already contains a run; resume it, or "
                    "use another folder.",
                    parts_.folder->string()));
  }
  ASSIGN_OR_RETURN(journal_, std::move(journal));
  append(RunRecord{.engine = std::string(parts_.engine->name()),
                   .fingerprint = parts_.fingerprint,
                   .options = options_});
  return flush();
}

Result<EvolverRecorder::Resumed> EvolverRecorder::resume() {
  if (!parts_.folder || !parts_.reader) {
    return Error(
        ErrorCode::InvalidArgument,
        "EvolverParts: to resume a run, folder and reader must be set.");
  }
  const auto path = *parts_.folder / kJournalName;
  ASSIGN_OR_RETURN(last_, read_checkpoint());
  JournalFold fold(*parts_.engine, {parts_.reader, parts_.evaluator});
  const auto apply = [&](const Json& line) -> Result<void> {
    const bool is_first = !fold.run();
    RETURN_IF_ERROR(fold.apply(line));
    return is_first ? check_run(*fold.run()) : Result<void>();
  };
  RETURN_IF_ERROR(read_journal(path, apply, &last_->journal));
  RETURN_IF_ERROR(fold.end());
  RETURN_IF_ERROR(parts_.engine->restore(last_->engine));
  auto state = fold.take_state();
  raise_spending(state->counts().cost, cost_after(path, last_->journal),
                 last_->history.spent);
  ASSIGN_OR_RETURN(journal_, JournalWriter::open_at(path, last_->journal));
  return Resumed{.state = std::move(state),
                 .history = last_->history,
                 .since_reset = last_->since_reset};
}

Result<Checkpoint> EvolverRecorder::read_checkpoint() const {
  auto checkpoint = load_checkpoint(*parts_.folder / kCheckpointName);
  if (checkpoint || checkpoint.error().code() != ErrorCode::NotFound) {
    return checkpoint;
  }
  return Error(ErrorCode::NotFound,
               fmt::format("The folder {} has no {}, so there is no run to "
                           "resume; start one in a new folder.",
                           parts_.folder->string(), kCheckpointName));
}

Result<void> EvolverRecorder::check_run(const RunRecord& before) const {
  if (before.engine != parts_.engine->name()) {
    return other_run(*parts_.folder,
                     fmt::format("the engine is {} and was {}",
                                 parts_.engine->name(), before.engine));
  }
  if (before.fingerprint != parts_.fingerprint) {
    return other_run(*parts_.folder, "its data or its task has changed");
  }
  if (const auto changed = difference(options_, before.options)) {
    return other_run(*parts_.folder, *changed);
  }
  return {};
}

Result<void> EvolverRecorder::flush() {
  if (!journal_) return {};
  return journal_->flush();
}

Result<void> EvolverRecorder::save(const EvolverState& state,
                                   const BudgetHistory& history,
                                   std::chrono::milliseconds since_reset) {
  if (!journal_) return {};
  // The journal must be on disk before a checkpoint refers to it.
  RETURN_IF_ERROR(journal_->sync());
  last_ = Checkpoint{.cycle = state.counts().cycles,
                     .journal = journal_->place(),
                     .history = history,
                     .since_reset = since_reset,
                     .engine = parts_.engine->state()};
  return save_checkpoint(*parts_.folder / kCheckpointName, *last_);
}

Result<void> EvolverRecorder::save_spending(const BudgetHistory& history) {
  if (!journal_ || !last_) return {};
  RETURN_IF_ERROR(journal_->flush());
  last_->history.spent.tokens = history.spent.tokens;
  last_->history.spent.money_micros = history.spent.money_micros;
  last_->history.wall_time = history.wall_time;
  return save_checkpoint(*parts_.folder / kCheckpointName, *last_);
}

bool EvolverRecorder::is_saved(const EvolverState& state) const {
  return last_ && last_->cycle == state.counts().cycles;
}

}  // namespace lamarck::archipelago
