// One whole run of NEAT: from minimal genomes to a solution.

#pragma once

#include <cstdint>

#include "lamarck/base/cancel_token.h"
#include "lamarck/neat/neat_population.h"

namespace lamarck::neat {

struct NeatLimits {
  std::int64_t evaluations = 200'000;  // No generation begins after so many.
  CancelToken cancel;                  // Looked at between generations.
};

struct NeatOutcome {
  bool solved = false;
  bool cancelled = false;
  std::int64_t evaluations = 0;
  std::size_t generations = 0;
  Genome best;  // The solution if solved, else the fittest.
};

// REQUIRES: the population fits the task; `pool` may be null.
NeatOutcome search(Population& population, const NeatTask& task,
                   const NeatLimits& limits, ThreadPool* pool = nullptr);

}  // namespace lamarck::neat
