// An island: a population of candidates that evolves by itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "lamarck/evolution/candidate.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

// The complete state of an island, as stored in a checkpoint.
struct Island {
  std::size_t index = 0;
  std::int64_t generation = 0;  // Since the start of the run.
  std::int64_t since_gain = 0;  // Generations without improvement.
  std::int64_t lives = 1;       // 1 + the number of restarts.
  // Trained candidates: one for hill_climb, several for cascade.
  std::vector<Candidate> population;
  // The best since the start of the run, across restarts. Its networks are
  // empty until a candidate has been trained.
  Candidate best;
  // How often each topology has been trained since the last restart (for
  // hill_climb also since the last improvement), by topology_hash.
  std::map<std::uint64_t, std::size_t> tried;
  EvolutionCounts counts;
};

}  // namespace lamarck::evolution
