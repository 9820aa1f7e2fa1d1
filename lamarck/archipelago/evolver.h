// Islands that evolve side by side, the worse half of which is replaced from
// the best now and then.
//
// One cycle:
//   for all islands side by side: choose parents, mutate, evaluate
//   in the order of the islands: record, store, count, tell the engine
//   engine.end_cycle; perhaps reset; perhaps checkpoint
// What a run gives depends on its parts, options and seed, never on the number
// of threads; reset periods and budgets of time are the exceptions.

#pragma once

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

namespace lamarck::archipelago {

struct EvolverParts {
  std::shared_ptr<MutationEngine> engine;
  std::shared_ptr<const Evaluator> evaluator;
  // The islands begin with these, in turn. One that fails is left out.
  std::vector<SkeletonPtr> first;
  // Asked before a function may become the best of the run, for example with
  // data that no evaluation sees. False, or an exception, rejects it.
  std::function<bool(const Function&)> confirm;
  // Where the journal and checkpoints go; nothing writes none. A folder that
  // holds a run already is an error unless `is_resumed`, which goes on with it.
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
  SkeletonReader reader;    // Needed to resume.
  std::string fingerprint;  // Of data and task; compared on resuming.
  Clock* clock = nullptr;   // Outlives the evolver; null is the system's.
};

class EvolverRun;

// Thread safety: `stop` and the `use_` members from any thread, also from
// inside a profiler; all others from one thread.
class Evolver {
 public:
  Evolver(EvolverOptions options, EvolverParts parts);
  ~Evolver();  // Stops and waits.
  Evolver(const Evolver&) = delete;
  Evolver& operator=(const Evolver&) = delete;

  // Evolves until a budget, the goal, a stop or the engine ends it. An error
  // means that it could not begin, or that its folder refused a write. A second
  // call goes on where the first one ended. REQUIRES: not started.
  Result<EvolverOutcome> run(const CancelToken& cancel = {});

  // `run` in a thread of its own. REQUIRES: not started, or waited for.
  void start();
  // Asks a run to end soon, calls of the engine that are under way included.
  void stop();
  // The outcome of a run that was started. REQUIRES: started.
  Result<EvolverOutcome> wait();

  // As of now; null before the first functions are evaluated. REQUIRES: not
  // running.
  FunctionPtr best_fn() const;
  const std::vector<std::unique_ptr<Island>>& islands() const;

  // Functions hear of events one at a time; islands, clusters and functions to
  // come are included.
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
