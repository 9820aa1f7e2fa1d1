// Rebuilds a run from its journal, line by line. Every fact that a line records
// must agree with what the lines before it imply.

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
  // `engine` must outlive this object and the result of `take_state`.
  JournalFold(MutationEngine& engine, FunctionReading reading);

  // The error says what differs.
  Result<void> apply(const Json& line);

  // Empty before the first line.
  const std::optional<RunRecord>& run() const { return run_; }
  // Must be called after the last line. Creates the islands if no line after
  // the first functions has done so.
  Result<void> end();
  // REQUIRES: `end` returned no error.
  std::unique_ptr<EvolverState> take_state();

 private:
  Result<void> apply_first(const Json& line);
  Result<void> apply_function(const Json& line);
  Result<void> apply_error(const Json& line);
  Result<void> apply_cycle(const Json& line);
  Result<void> apply_reset(const Json& line);
  Result<void> create_islands();
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
