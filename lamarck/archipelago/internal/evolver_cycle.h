// What the islands made in one cycle, side by side.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/thread_pool.h"

namespace lamarck::archipelago {

// What one island made, or why not.
struct Mutation {
  std::optional<Result<FunctionPtr>> made;  // Nothing if it did not begin.
  bool is_cut = true;  // Not finished when the run was cancelled.
  Fate fate = Fate::Fresh;
  double seconds = 0;
};

struct CycleSetup {
  const EvolverOptions& options;
  EvolverState& state;
  std::shared_ptr<const Evaluator> evaluator;
  std::function<void(Function&)> prepare;  // Before a function is evaluated.
  const Clock& clock;
};

// The same stream for the same island and cycle, whatever happened before.
MutationContext mutation_context(const EvolverOptions& options,
                                 std::size_t island, std::uint64_t cycle,
                                 const CancelToken& cancel);

// What a mutation took, also one that gave an error.
MutationCost cost_of(const Result<FunctionPtr>& made);
MutationCost cost_of(const Mutation& mutation);

// The mutations of the first `count` islands. What was not finished when
// `cancel` was cancelled is cut: it may be half of what it should be.
std::vector<Mutation> mutate_islands(const CycleSetup& setup, std::size_t count,
                                     std::uint64_t cycle, ThreadPool& pool,
                                     const CancelToken& cancel);

}  // namespace lamarck::archipelago
