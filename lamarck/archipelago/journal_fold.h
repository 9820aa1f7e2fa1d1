// A run from its journal, line by line; every fact that a line records must be
// what the lines before it lead to.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/journal_record.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// Owned by one thread.
class JournalFold {
 public:
  // `engine` outlives it, and what `take_state` gives.
  JournalFold(MutationEngine& engine, FunctionReading reading);

  // An error says what differs.
  Result<void> apply(const Json& line);

  // Nothing before the first line.
  const std::optional<RunRecord>& run() const { return run_; }
  // The islands exist once a line after those of the first functions was
  // applied, or `end` was called.
  Result<void> end();
  // REQUIRES: `end` was called and gave no error.
  std::unique_ptr<EvolverState> take_state();

 private:
  Result<void> apply_first(const Json& line);
  Result<void> apply_function(const Json& line);
  Result<void> apply_error(const Json& line);
  Result<void> apply_cycle(const Json& line);
  Result<void> apply_reset(const Json& line);
  Result<void> found();
  Result<void> check_id(std::uint64_t id) const;
  Result<void> check_cycle(std::uint64_t cycle) const;
  Result<void> check_place(std::uint64_t cycle, std::size_t island) const;

  MutationEngine* engine_;
  FunctionReading reading_;
  std::optional<RunRecord> run_;
  std::unique_ptr<EvolverState> state_;
  std::vector<FunctionPtr> first_;
};

}  // namespace lamarck::archipelago
