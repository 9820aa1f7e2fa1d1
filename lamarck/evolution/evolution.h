// Evolution of networks: mutations change the topology, gradients train the
// weights, and children inherit the trained weights of their parents.
//
//   Graph trained = Evolution{.network = minimal_network(2, 1),
//                             .task = SupervisedTask(train, test,
//                                                    Metric::Accuracy)}
//                       .run()
//                       .graph;

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/profiler.h"
#include "lamarck/data/metrics.h"
#include "lamarck/evolution/evolution_event.h"
#include "lamarck/evolution/evolution_task.h"
#include "lamarck/evolution/mutation.h"
#include "lamarck/graph/graph.h"

namespace lamarck::crew {
class Crew;
}  // namespace lamarck::crew

namespace lamarck::evolution {

using data::Metric;

// A run ends when the first of these limits is reached; 0 means no limit.
// Without any limit, kDefaultFlatGenerations is the limit of flat_generations.
struct EvolutionBudget {
  double seconds = 0;
  std::int64_t generations = 0;
  std::int64_t evaluations = 0;  // Candidates trained.
  // Consecutive generations without a better network.
  std::int64_t flat_generations = 0;
};

inline constexpr std::int64_t kDefaultFlatGenerations = 1000;
inline constexpr std::int64_t kMaxFirstDropped = 100;

struct EvolutionOptions {
  std::uint64_t seed = 0;
  std::string strategy = "cascade";  // See strategy_table.

  // The score at which a run ends. Not set: default_target() of the task.
  std::optional<double> target_metric;
  // Evaluations per candidate; the lowest score counts. Deterministic tasks are
  // evaluated once.
  int eval_runs = 3;

  double loss_tolerance = 1e-4;
  double grad_tolerance = 1e-5;
  std::size_t patience = 5;

  Grain grain = Grain::Neuron;
  MutationWeights mutations;  // Overrides weights of mutation_table.
  // The run sets `recurrent`, `keeps_outputs` and `score_units` itself, from
  // the task and the strategy.
  MutationLimits limits;

  std::size_t population = 3;  // Per island; for cascade only.
  // Children per generation, trained in parallel. 0: one if training is short,
  // otherwise 4. For cascade only.
  std::size_t offspring = 0;
  // Generations without improvement after which an island restarts; 0: never.
  std::size_t restart_after = 60;
  // How often an island trains the same topology before it draws another
  // mutation instead.
  std::size_t repeats = 8;

  // A larger network replaces the best so far only if its mean loss is lower by
  // this many standard errors of the row-by-row difference. Applies to tasks
  // that implement row_losses.
  double min_evidence = 2;

  std::size_t islands = 1;
  std::size_t migrate_every = 10;  // Generations.

  EvolutionBudget budget;
  // What the caller spent before, such as reading data. It counts toward the
  // budget.
  double seconds_spent = 0;
  std::size_t threads = 0;  // 0: one per core. Does not affect results.
  // Those who share out the islands; null: the threads of this process. Members
  // return the leader's result. Does not affect results, except that a
  // generation that the budget cuts short is left out.
  crew::Crew* crew = nullptr;
  CancelToken cancel;
  Clock* clock = nullptr;  // Null: the system clock.

  // The file that holds the state of the run, so that it can resume after a
  // crash; empty: no checkpoints. Written after the first generation and at the
  // end. In between, at most every `checkpoint_seconds`, and less often if
  // saving would take more than 2 % of the time.
  std::filesystem::path checkpoint;
  double checkpoint_seconds = 5;
  // Resumes from the checkpoint if it exists. The result is the same as that of
  // an uninterrupted run.
  bool resume = false;
};

// One improvement of the best network.
struct GrowthRecord {
  std::int64_t generation = 0;
  std::int64_t evaluations = 0;
  double seconds = 0;
  // The mutation that made it, or "begin" for an initial network.
  std::string mutation;
  double loss = 0;
  double score = 0;
  std::size_t hidden_nodes = 0;
  std::size_t edges = 0;
  std::size_t recurrent_edges = 0;
};

struct EvolutionCounts {
  std::int64_t generations = 0;
  std::int64_t evaluations = 0;
  std::int64_t gradient_steps = 0;
  std::int64_t dropped = 0;        // Candidates with a non-finite loss.
  std::int64_t stopped_early = 0;  // Candidates whose training was cut short.
  std::int64_t repeated = 0;       // Mutations discarded, see `repeats`.
  // Children that are copies of their parent, because no mutation was feasible:
  // the limits or the weights of the mutations allow none.
  std::int64_t infeasible = 0;
  std::int64_t restarts = 0;
};

struct EvolutionResult {
  Graph graph;      // The best network, trained, from "input" to "output".
  Network network;  // The same network, ready to evolve further.
  double score = 0;
  double loss = 0;
  bool target_reached = false;
  bool cancelled = false;
  // Why it ended: "target", "cancelled", or the limit that was reached, such as
  // "seconds" or "flat_generations".
  std::string reason;
  double seconds = 0;
  EvolutionCounts counts;
  std::vector<GrowthRecord> history;
};

struct MultiEvolutionResult {
  std::vector<Graph> graphs;
  std::vector<Network> networks;
  double score = 0;
  double loss = 0;
  bool target_reached = false;
  bool cancelled = false;
  // Why it ended: "target", "cancelled", or the limit that was reached, such as
  // "seconds" or "flat_generations".
  std::string reason;
  double seconds = 0;
  EvolutionCounts counts;
  std::vector<GrowthRecord> history;
};

// One run. run() returns an Error if a checkpoint cannot be written or read, or
// if the losses of the first kMaxFirstDropped candidates are all not finite. It
// throws LogicError for invalid options.
struct Evolution {
  Network network;  // The initial one.
  AnyTask<EvolutionTask> task;
  EvolutionOptions options;
  Profiler<EvolutionEvent> profiler;

  Result<EvolutionResult> run() const;
};

// Evolves several networks that work together; each mutation changes one.
struct MultiEvolution {
  std::vector<Network> networks;  // The initial ones.
  AnyTask<TeamTask> task;
  EvolutionOptions options;
  Profiler<EvolutionEvent> profiler;

  Result<MultiEvolutionResult> run() const;
};

}  // namespace lamarck::evolution
