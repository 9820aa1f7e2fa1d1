// Makes one mutation on each island, in parallel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lamarck/archipelago/evaluation_crew.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/thread_pool.h"

namespace lamarck::archipelago {

// The result of one island in one cycle.
struct Mutation {
  std::optional<MutationResult> made;  // Empty if it was not started.
  bool is_cut = true;  // The run was cancelled before it finished.
  EvaluationSource evaluation_source = EvaluationSource::Fresh;
  double seconds = 0;
};

struct CycleSetup {
  const EvolverOptions& options;
  EvolverState& state;
  std::shared_ptr<const Evaluator> evaluator;
  std::function<void(Function&)> prepare;  // Called before an evaluation.
  const Clock& clock;
  EvaluationCrew* crew = nullptr;  // Null: the threads evaluate.
};

// The random stream depends only on seed, island and cycle, not on what was
// drawn before. This makes results independent of threads and resumption.
MutationContext mutation_context(const EvolverOptions& options,
                                 std::size_t island, std::uint64_t cycle,
                                 const CancelToken& cancel);

// Lets `crew` do the long part of the mutations.
Result<void> prepare_islands(const CycleSetup& setup, std::size_t count,
                             std::uint64_t cycle, MutationEngine& engine,
                             crew::Crew& crew, const CancelToken& cancel);

// Mutates the first `count` islands. A mutation that was not finished when
// `cancel` was cancelled is marked as cut, since its result may be incomplete.
// Fails only if the crew does.
Result<std::vector<Mutation>> mutate_islands(const CycleSetup& setup,
                                             std::size_t count,
                                             std::uint64_t cycle,
                                             ThreadPool& pool,
                                             const CancelToken& cancel);

}  // namespace lamarck::archipelago
