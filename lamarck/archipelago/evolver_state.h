// The part of a run that its journal determines. A run, its resumption and its
// replay apply the same records and so reach the same state.

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
enum class EvaluationSource : std::uint8_t {
  Fresh,      // Evaluated by the evolver.
  ByEngine,   // Evaluated by the engine.
  Reused,     // Copied from another island's evaluation of the skeleton.
  Duplicate,  // Known on its own island; it is not stored.
};

// Whether a function improved on what was there.
struct Gain {
  bool is_island_best = false;
  bool is_best = false;  // Best of the run.

  friend bool operator==(const Gain&, const Gain&) = default;
};

struct Reset {
  std::vector<std::size_t> removed;     // Island indices, ascending.
  std::vector<std::uint64_t> founders;  // Function ids, one per island.

  friend bool operator==(const Reset&, const Reset&) = default;
};

// The random stream of the reset after `cycle`. It does not depend on what was
// drawn before, so a replay gets the same reset.
Rng reset_stream(std::uint64_t seed, std::uint64_t cycle);

// Owned by one thread at a time.
class EvolverState {
 public:
  // `engine` must outlive this object.
  EvolverState(const EvolverOptions& options, MutationEngine& engine);

  // Creates the islands, each with one function of `first` in turn.
  // REQUIRES: called once, before the first cycle; `first` is not empty, and
  // its functions are evaluated and did not fail.
  void create_islands(const std::vector<FunctionPtr>& first);
  bool has_islands() const { return !islands_.empty(); }

  std::uint64_t next_id() const { return next_id_; }
  // Assigns the next id to a first function, and counts its evaluation.
  void add_first(Function& fn);
  void assign_id(Function& fn) { fn.set_id(next_id_++); }

  // Whether `fn` is better than the best of the run.
  bool would_be_best(const Function& fn) const;
  // Counts `fn`, and stores it unless it failed, is a duplicate or was
  // rejected. REQUIRES: `fn` is evaluated and has an id.
  Gain take(const FunctionPtr& fn, std::size_t island,
            EvaluationSource evaluation_source, bool is_rejected = false);
  void take_error(std::string_view message, const MutationCost& cost);
  void end_cycle() { ++counts_.cycles; }

  // Selects the worse half of the islands and a founder for each.
  Reset plan_reset(Rng rng) const;
  // Returns an error if a founder is not the best function of any island.
  Result<void> reset(const Reset& reset);

  const std::vector<std::unique_ptr<Island>>& islands() const {
    return islands_;
  }
  Island& island(std::size_t number) { return *islands_.at(number); }
  // Null until the islands exist.
  const FunctionPtr& best() const { return best_; }
  std::size_t best_island() const;
  const EvolverMemory& memory() const { return memory_; }
  const EvolverCounts& counts() const { return counts_; }
  std::int64_t evaluations_at_reset() const { return evaluations_at_reset_; }
  std::size_t errors_in_row() const { return errors_in_row_; }
  std::size_t duplicates_in_row() const { return duplicates_in_row_; }

 private:
  void count(const Function& fn, EvaluationSource evaluation_source,
             bool is_rejected);
  void add_cost(const MutationCost& cost);
  void add_reason(std::string_view sentence);
  FunctionPtr find_founder(std::uint64_t id) const;

  EvolverOptions options_;
  MutationEngine* engine_;  // Not owned.
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
