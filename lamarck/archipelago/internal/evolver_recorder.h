// Writes the journal and the checkpoints in the folder of a run.

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

// Does nothing if the parts have no folder. Owned by one thread.
class EvolverRecorder {
 public:
  // Both arguments must outlive this object.
  EvolverRecorder(const EvolverOptions& options, const EvolverParts& parts);

  // What a resumed run continues from.
  struct Resumed {
    std::unique_ptr<EvolverState> state;
    BudgetHistory history;
    std::chrono::milliseconds since_reset;
  };

  // Creates the folder if needed. Returns AlreadyExists if it contains a run.
  Result<void> create();
  // Rebuilds the state, restores the engine, and truncates the journal after
  // the checkpoint.
  Result<Resumed> resume();

  template <class Record>
  void append(const Record& record) {
    if (journal_) journal_->append(to_json(record));
  }
  Result<void> flush();

  // REQUIRES: called between two cycles.
  Result<void> save(const EvolverState& state, const BudgetHistory& history,
                    std::chrono::milliseconds since_reset);
  // Saves the last checkpoint again with the tokens, money and time spent
  // since: they are gone even if the work is lost. Evaluations are repeated on
  // resuming, so they are not counted.
  Result<void> save_spending(const BudgetHistory& history);
  // Whether the last checkpoint has the current cycle.
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
