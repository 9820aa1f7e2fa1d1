#include "lamarck/archipelago/journal_replay.h"

#include <fmt/format.h>

#include "lamarck/archipelago/checkpoint.h"
#include "lamarck/archipelago/journal_fold.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// The islands of a replay need an engine, but never call it.
class NoEngine : public MutationEngine {
 public:
  std::string_view name() const override { return "none"; }

 private:
  MutationResult make(const std::vector<FunctionPtr>& /*parents*/,
                      const MutationContext& /*context*/) override {
    return Error(ErrorCode::Unsupported,
                 "A replayed run has no engine and cannot continue; resume the "
                 "run instead.");
  }
};

// The number of lines that the journal had when its checkpoint was saved. Is 0
// if there is no checkpoint that can be read; it is needed only to resume.
std::int64_t checkpointed_lines(const std::filesystem::path& journal) {
  const auto saved = load_checkpoint(journal.parent_path() / kCheckpointName);
  return saved ? saved->journal.lines : 0;
}

Error lost_lines(const std::filesystem::path& journal, std::int64_t lines,
                 std::int64_t saved) {
  return {ErrorCode::DataDamaged,
          fmt::format("{}: the journal ends at line {}, but the checkpoint was "
                      "written after line {}, so the last lines are lost; "
                      "restore the original file.",
                      journal.string(), lines, saved)};
}

}  // namespace

Result<ReplayedRun> replay(const std::filesystem::path& journal,
                           const ReplayWatch& watch) {
  // Outlives the returned state, which points to it. Shared, as it has no
  // state.
  static NoEngine engine;
  JournalFold fold(engine, {});
  // Read before the journal, which a run that is still going on makes longer.
  const std::int64_t saved = checkpointed_lines(journal);
  const auto apply = [&](const Json& line) -> Result<void> {
    RETURN_IF_ERROR(fold.apply(line));
    if (watch) watch(line);
    return {};
  };
  ASSIGN_OR_RETURN(const JournalPlace end, read_journal(journal, apply));
  if (end.lines < saved) return lost_lines(journal, end.lines, saved);
  if (auto done = fold.end(); !done) {
    return done.error().within(journal.string());
  }
  return ReplayedRun{
      .run = *fold.run(), .state = fold.take_state(), .end = end};
}

}  // namespace lamarck::archipelago
