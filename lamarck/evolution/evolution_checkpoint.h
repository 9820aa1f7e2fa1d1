// The state of a run of evolution as a file, so that it can go on after
// anything that ended it.

#pragma once

#include <filesystem>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::evolution {

// Chance is not in it: it follows from the seed and the generation.
struct EvolutionState {
  std::int64_t generation = 0;
  std::int64_t since_gain = 0;
  double seconds_before = 0;
  std::vector<Island> islands;
  Candidate best;
  std::vector<GrowthRecord> history;
};

Result<void> save_checkpoint(const std::filesystem::path& path,
                             const EvolutionState& state);
Result<EvolutionState> load_checkpoint(const std::filesystem::path& path);

}  // namespace lamarck::evolution
