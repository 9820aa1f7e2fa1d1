// Everything of a run that follows from what its journal records: a run, its
// resumption and its replay apply the same records and get the same state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/evolver_memory.h"
#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/island.h"
#include "lamarck/archipelago/mutation_engine.h"

namespace lamarck::archipelago {

// How a function got its evaluation.
enum class Fate : std::uint8_t {
  Fresh,      // Evaluated by the evolver.
  ByEngine,   // The engine gave it evaluated.
  Reused,     // Another island had evaluated its skeleton.
  Duplicate,  // Its own island had; it is not stored.
};

// What became of a function.
struct Gain {
  bool is_island_best = false;
  bool is_best = false;  // Of the run.

  friend bool operator==(const Gain&, const Gain&) = default;
};

struct Reset {
  std::vector<std::size_t> removed;     // Islands, in rising order.
  std::vector<std::uint64_t> founders;  // Ids, one for each.

  friend bool operator==(const Reset&, const Reset&) = default;
};

// The chance of the reset after a cycle.
Rng reset_stream(std::uint64_t seed, std::uint64_t cycle);

// Owned by one thread at a time.
class EvolverState {
 public:
  // `engine` outlives it.
  EvolverState(const EvolverOptions& options, MutationEngine& engine);

  // The islands, from functions that are evaluated and did not fail, in turn.
  // REQUIRES: called once, first; not empty.
  void found(const std::vector<FunctionPtr>& first);
  bool is_founded() const { return !islands_.empty(); }

  std::uint64_t next_id() const { return next_id_; }
  // Gives the next id. What the evaluation of a first one took is counted.
  void name_first(Function& fn);
  void name(Function& fn) { fn.set_id(next_id_++); }

  // Whether it would be the best of the run.
  bool would_be_best(const Function& fn) const;
  // Counts it and stores it, unless it failed, is a duplicate or was rejected.
  // REQUIRES: evaluated, named.
  Gain take(const FunctionPtr& fn, std::size_t island, Fate fate,
            bool is_rejected = false);
  void take_error(std::string_view message, const MutationCost& cost);
  void end_cycle() { ++counts_.cycles; }

  // The worse half of the islands, and what they begin again with.
  Reset plan_reset(Rng rng) const;
  // Error if a founder is not the best function of an island that stays.
  Result<void> reset(const Reset& reset);

  const std::vector<std::unique_ptr<Island>>& islands() const {
    return islands_;
  }
  Island& island(std::size_t number) { return *islands_.at(number); }
  const FunctionPtr& best() const { return best_; }  // Null at first.
  std::size_t best_island() const;
  const EvolverMemory& memory() const { return memory_; }
  const EvolverCounts& counts() const { return counts_; }
  std::int64_t evaluations_at_reset() const { return evaluations_at_reset_; }
  std::size_t errors_in_row() const { return errors_in_row_; }
  std::size_t duplicates_in_row() const { return duplicates_in_row_; }

 private:
  void count(const Function& fn, Fate fate, bool is_rejected);
  void add_cost(const MutationCost& cost);
  void add_reason(std::string_view sentence);
  FunctionPtr founder(std::uint64_t id) const;

  EvolverOptions options_;
  MutationEngine* engine_;
  std::vector<std::unique_ptr<Island>> islands_;
  EvolverMemory memory_;
  FunctionPtr best_;
  EvolverCounts counts_;
  std::uint64_t next_id_ = 1;
  std::int64_t evaluations_at_reset_ = 0;
  std::size_t errors_in_row_ = 0;
  std::size_t duplicates_in_row_ = 0;
};

}  // namespace lamarck::archipelago
