// Networks that evolve: topology by mutation, weights by gradient, and what one
// has learnt its children inherit.
//
//   Graph trained = Evolution{.graph = minimal_network(2, 1),
//                             .task = SupervisedTask(train, test,
//                                                    Metric::Accuracy)}
//                       .run()
//                       .graph;

#pragma once

#include <cstdint>
#include <filesystem>
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

namespace lamarck::evolution {

using data::Metric;

// A run ends at the first of these that is reached; 0 is no limit. Without any,
// it ends at the target or when it is cancelled.
struct EvolutionBudget {
  double seconds = 0;
  std::int64_t generations = 0;
  std::int64_t evaluations = 0;  // Candidates trained.
  // Ends when so many generations in a row brought no better network.
  std::int64_t flat_generations = 0;
};

struct EvolutionOptions {
  std::uint64_t seed = 0;
  std::string strategy = "cascade";  // See strategy_table.

  double target_metric = 0.95;
  int eval_runs = 3;  // The lowest counts, unless all would be the same.

  double loss_tolerance = 1e-4;
  double grad_tolerance = 1e-5;
  std::size_t patience = 5;

  Grain grain = Grain::Neuron;
  MutationWeights mutations;  // What differs from mutation_table.
  // Recurrence, its guards and the comparison of units are set by the task and
  // the strategy.
  MutationLimits limits;

  std::size_t population = 3;  // Of cascade.
  // Children tried side by side; 0 for one where training is short, else 4.
  std::size_t brood = 0;
  // Generations without gain after which an island begins anew; 0 never.
  std::size_t restart_after = 60;
  // How often a topology is trained again from one parent before another
  // mutation is drawn in its place.
  std::size_t repeats = 8;

  // A larger network takes the place of the best so far only if it is better
  // by so many standard errors of the difference over the rows they are
  // compared by; of tasks that tell those.
  double least_evidence = 2;

  std::size_t islands = 1;
  std::size_t migrate_every = 10;  // Generations.

  EvolutionBudget budget;
  std::size_t threads = 0;  // 0: one for each core. Changes no result.
  CancelToken cancel;
  Clock* clock = nullptr;  // Null: the system's.

  // Where the state of the run is kept, so that it can go on after a crash;
  // empty for nowhere. Written after the first generation, then at most every
  // `checkpoint_seconds` and not so often that it takes more than 2 % of the
  // time, and at the end.
  std::filesystem::path checkpoint;
  double checkpoint_seconds = 5;
  // Goes on from the checkpoint if there is one: as if it had never stopped.
  bool resume = false;
};

// One line of how the best came to be.
struct GrowthRecord {
  std::int64_t generation = 0;
  std::int64_t evaluations = 0;
  double seconds = 0;
  std::string mutation;  // What made it; "begin" of the first.
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
  std::int64_t dropped = 0;   // Candidates whose loss was not a number.
  std::int64_t hopeless = 0;  // Candidates given up early.
  std::int64_t repeated = 0;  // Mutations drawn again.
  std::int64_t restarts = 0;
};

struct EvolutionResult {
  Graph graph;      // The best network, trained: "input" to "output".
  Network network;  // The same, as it can go on evolving.
  double score = 0;
  double loss = 0;
  bool target_reached = false;
  bool cancelled = false;
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
  double seconds = 0;
  EvolutionCounts counts;
  std::vector<GrowthRecord> history;
};

// Throws LogicError for options that make no sense, and if a checkpoint cannot
// be written or read (an Error's message and code).
struct Evolution {
  Network graph;  // What it begins with.
  AnyTask<EvolutionTask> task;
  EvolutionOptions options;
  Profiler<EvolutionEvent> profiler;

  EvolutionResult run() const;
};

// Several networks that belong together; a mutation changes one of them.
struct MultiEvolution {
  std::vector<Network> graphs;
  AnyTask<TeamTask> task;
  EvolutionOptions options;
  Profiler<EvolutionEvent> profiler;

  MultiEvolutionResult run() const;
};

}  // namespace lamarck::evolution
