#include "lamarck/archipelago/journal_replay.h"

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

}  // namespace

Result<ReplayedRun> replay(const std::filesystem::path& journal,
                           const ReplayWatch& watch) {
  // Outlives the returned state, which points to it. Shared, as it has no
  // state.
  static NoEngine engine;
  JournalFold fold(engine, {});
  const auto apply = [&](const Json& line) -> Result<void> {
    RETURN_IF_ERROR(fold.apply(line));
    if (watch) watch(line);
    return {};
  };
  ASSIGN_OR_RETURN(const JournalPlace end, read_journal(journal, apply));
  if (auto done = fold.end(); !done) {
    return done.error().within(journal.string());
  }
  return ReplayedRun{
      .run = *fold.run(), .state = fold.take_state(), .end = end};
}

}  // namespace lamarck::archipelago
