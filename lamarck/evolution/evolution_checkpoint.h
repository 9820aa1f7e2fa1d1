// Saves the state of a run of evolution to a file, so that it can resume after
// an interruption.

#pragma once

#include <filesystem>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::evolution {

// Holds no random state: that follows from the seed and the generation.
struct EvolutionState {
  std::int64_t generation = 0;
  std::int64_t since_gain = 0;  // Generations without a better network.
  double seconds_before = 0;    // Spent before the checkpoint was written.
  std::vector<Island> islands;
  Candidate best;
  std::vector<GrowthRecord> history;
};

// Replaces the file atomically.
Result<void> save_checkpoint(const std::filesystem::path& path,
                             const EvolutionState& state);
// A model file without a checkpoint is an Error of code InvalidArgument; a
// checkpoint with missing or invalid fields is one of code DataDamaged.
Result<EvolutionState> load_checkpoint(const std::filesystem::path& path);

}  // namespace lamarck::evolution
