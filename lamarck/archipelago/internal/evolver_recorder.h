// The folder of a run: its journal and its checkpoints.

#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "lamarck/archipelago/checkpoint.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/journal_record.h"
#include "lamarck/archipelago/search_journal.h"

namespace lamarck::archipelago {

// Does nothing where the parts name no folder. Owned by one thread.
class EvolverRecorder {
 public:
  // All outlive it.
  EvolverRecorder(const EvolverOptions& options, const EvolverParts& parts);

  // What a resumed run goes on with.
  struct Resumed {
    std::unique_ptr<EvolverState> state;
    BudgetHistory history;
    std::chrono::milliseconds since_reset;
  };

  // A new folder, or one without a run.
  Result<void> create();
  // Rebuilds the state, restores the engine, and cuts what the journal has
  // behind the checkpoint.
  Result<Resumed> resume();

  template <class Record>
  void append(const Record& record) {
    if (journal_) journal_->append(to_json(record));
  }
  Result<void> flush();

  // REQUIRES: a cycle has ended, and none has begun.
  Result<void> save(const EvolverState& state, const BudgetHistory& history,
                    std::chrono::milliseconds since_reset);
  // The last checkpoint again, with what was spent since: what is paid stays
  // paid, also for work that is lost. Evaluations are done again, so they are
  // not counted.
  Result<void> save_spending(const BudgetHistory& history);
  bool is_saved(const EvolverState& state) const;

 private:
  Result<void> check_run(const RunRecord& before) const;
  Result<Checkpoint> read_checkpoint() const;

  const EvolverOptions& options_;
  const EvolverParts& parts_;
  std::optional<JournalWriter> journal_;
  std::optional<Checkpoint> last_;
};

}  // namespace lamarck::archipelago
