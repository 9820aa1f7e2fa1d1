// One run of an evolver, from the first functions to the outcome.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/internal/evolver_cycle.h"
#include "lamarck/archipelago/internal/evolver_recorder.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/thread_pool.h"

namespace lamarck::archipelago {

class EvolverRun {
 public:
  EvolverRun(EvolverOptions options, EvolverParts parts);

  // Must be called before `run`, in the caller's thread, so that a `stop` right
  // afterwards takes effect.
  void open(const CancelToken& cancel);
  // Thread safety: may be called from any thread.
  void stop();
  Result<EvolverOutcome> run();

  const EvolverState& state() const { return *state_; }

  // Thread safety: all of these may be used from any thread.
  Profiler<EvolverEvent> events;
  Profiler<IslandEvent> island_events;
  Profiler<ClusterEvent> cluster_events;
  Profiler<FunctionEvent> function_events;
  // Set once a profiler is added. Until then the events are not built.
  std::atomic<bool> has_profiler = false;
  std::atomic<bool> has_cluster_profiler = false;
  std::atomic<bool> has_function_profiler = false;

 private:
  Result<void> begin(const CancelToken& cancel);
  Result<void> resume();
  Result<void> create_islands(const CancelToken& cancel);
  Result<FunctionPtr> make_first_function(const SkeletonPtr& skeleton,
                                          const CancelToken& cancel);
  Result<void> end(Budget& budget);

  Result<void> cycle(Budget& budget, ThreadPool& pool,
                     const CancelToken& cancel);
  Result<std::vector<Mutation>> mutate(std::size_t count, std::uint64_t number,
                                       ThreadPool& pool,
                                       const CancelToken& cancel);
  // Records the mutations in the order of the islands. Returns their cost.
  BudgetAmounts take(const std::vector<Mutation>& mutations,
                     std::uint64_t number);
  void take_error(const Mutation& mutation, const MutationContext& context);
  void take_function(const Mutation& mutation, const MutationContext& context);
  bool confirm(const Function& fn) const;
  Result<void> end_cycle(std::uint64_t number);
  Result<void> reset_if_due(std::uint64_t number);
  bool is_reset_due() const;
  Result<void> save_if_due(const Budget& budget);
  Result<void> save(const Budget& budget);
  void send_cycle_events(std::uint64_t number);

  void prepare(Function& fn);
  void forward_events(Island& island);
  void forward_cluster_events();
  void forward_cluster_events(Island& island);

  // Set at construction.
  EvolverOptions options_;
  EvolverParts parts_;
  SystemClock system_clock_;
  Clock& clock_;
  std::optional<EvaluationCrew> crew_;

  std::unique_ptr<EvolverState> state_;
  EvolverRecorder recorder_;
  BudgetHistory history_;
  std::chrono::nanoseconds last_reset_{0};
  std::chrono::nanoseconds last_save_{0};
  std::size_t best_island_ = 0;
  double best_score_ = 0;
  std::optional<Error> final_error_;
  // A cycle was cut, so the engine is not in a state that can be saved.
  bool is_cycle_cut_ = false;
  bool are_cluster_events_forwarded_ = false;

  std::mutex mutex_;
  std::shared_ptr<CancelSource> source_;  // Guarded by mutex_.
};

}  // namespace lamarck::archipelago
