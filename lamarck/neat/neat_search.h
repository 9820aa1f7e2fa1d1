// A complete run of NEAT, from minimal genomes to a solution.

#pragma once

#include <cstdint>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/neat/neat_population.h"

namespace lamarck::neat {

struct NeatLimits {
  // No generation starts after this many evaluations.
  std::int64_t evaluations = 200'000;
  CancelToken cancel;  // Checked after each generation.
};

struct NeatOutcome {
  bool solved = false;
  bool cancelled = false;
  std::int64_t evaluations = 0;
  std::size_t generations = 0;
  Genome best;  // The solution if solved, otherwise the fittest genome.
};

// Evolves the population until it solves the task or reaches a limit. `pool`
// may be null.
//
// REQUIRES: the population has the inputs and outputs of the task.
NeatOutcome search(Population& population, const NeatTask& task,
                   const NeatLimits& limits, ThreadPool* pool = nullptr);
// The same by a crew, with the same outcome. Fails if an evaluation throws or
// the crew is lost.
Result<NeatOutcome> search(Population& population, NeatCrew& crew,
                           const NeatLimits& limits);

}  // namespace lamarck::neat
