#include "lamarck/archipelago/journal_replay.h"

#include "lamarck/archipelago/journal_fold.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

class NoEngine : public MutationEngine {
 public:
  std::string_view name() const override { return "none"; }

 private:
  Result<FunctionPtr> make(const std::vector<FunctionPtr>& /*parents*/,
                           const MutationContext& /*context*/) override {
    return Error(ErrorCode::Unsupported,
                 "A replayed run has no engine, so it cannot go on; resume the "
                 "run instead.");
  }
};

}  // namespace

Result<ReplayedRun> replay(const std::filesystem::path& journal,
                           const ReplayWatch& watch) {
  static NoEngine engine;  // Has no state.
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
