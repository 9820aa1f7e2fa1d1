// Evolves several islands in parallel. From time to time the worse half of them
// is restarted from the better half.
//
// One cycle:
//   for all islands in parallel: choose parents, mutate, evaluate
//   in the order of the islands: record, store, count, notify the engine
//   engine.end_cycle; a reset if due; a checkpoint if due
// The result depends on the parts, the options and the seed, never on the
// number of threads. Reset periods and budgets in wall time are the exceptions.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/island.h"
#include "lamarck/archipelago/journal_record.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"

namespace lamarck::crew {
class Crew;
}  // namespace lamarck::crew

namespace lamarck::archipelago {

struct EvolverParts {
  std::shared_ptr<MutationEngine> engine;
  std::shared_ptr<const Evaluator> evaluator;
  // The islands start with these functions, in turn. Those that fail are left
  // out, and so are those that are not evaluated within the time budget. If no
  // other one is left, the last function gets all the time it needs.
  std::vector<SkeletonPtr> first;
  // Called before a function becomes the best of the run, for example to check
  // it on held-out data. Returning false or throwing rejects the function.
  std::function<bool(const Function&)> confirm;
  // Where to write the journal and checkpoints; nullopt writes neither. If the
  // folder contains a run, `is_resumed` resumes it; otherwise it is an error.
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
  SkeletonReader reader;    // Needed to resume, and by a crew.
  std::string fingerprint;  // Identifies data and task; must match on resume.
  Clock* clock = nullptr;   // Must outlive the evolver; null: system clock.
  // Shares out the evaluations of all functions but the first ones; its members
  // call EvaluationCrew::serve. Null: the threads do all. Does not affect
  // results. Must outlive the evolver.
  crew::Crew* crew = nullptr;
  // The crew does what MutationEngine::prepare asks for, and the threads
  // evaluate.
  bool is_crew_of_engine = false;
  // Wall time that the caller spent before, such as reading data. It counts
  // toward the budget.
  std::chrono::nanoseconds time_spent{0};
};

class EvolverRun;

// Thread safety: `stop` and the `use_` members may be called from any thread,
// also from inside a profiler; all others from one thread at a time.
class Evolver {
 public:
  Evolver(EvolverOptions options, EvolverParts parts);
  ~Evolver();  // Stops and waits.
  Evolver(const Evolver&) = delete;
  Evolver& operator=(const Evolver&) = delete;

  // Evolves until a budget is used up, the goal is reached, the run is stopped
  // or the engine cannot continue. Returns an error if the run cannot start or
  // its folder cannot be written. A second call continues where the first one
  // ended. REQUIRES: no run started by start() is pending.
  Result<EvolverOutcome> run(const CancelToken& cancel = {});

  // Calls `run` in a new thread. REQUIRES: not started, or waited for.
  void start();
  // Asks the run to end soon. Also cancels engine calls in progress.
  void stop();
  // Waits for the run that start() began and returns its outcome.
  // REQUIRES: started.
  Result<EvolverOutcome> wait();

  // Null until the first functions are evaluated. REQUIRES: not running.
  FunctionPtr best_fn() const;
  const std::vector<std::unique_ptr<Island>>& islands() const;

  // Each profiler receives one event at a time. It also receives the events of
  // islands, clusters and functions that are created later.
  Remover use_profiler(Profiler<EvolverEvent>::Function function);
  Remover use_island_profiler(Profiler<IslandEvent>::Function function);
  Remover use_cluster_profiler(Profiler<ClusterEvent>::Function function);
  Remover use_function_profiler(Profiler<FunctionEvent>::Function function);

 private:
  struct Started;
  std::unique_ptr<Started> started_;
  std::unique_ptr<EvolverRun> run_;
};

}  // namespace lamarck::archipelago
