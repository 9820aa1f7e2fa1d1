// The state that a run saves beside its journal, so that it can be resumed.

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

inline constexpr const char* kCheckpointName = "checkpoint.json";

// Does not contain the islands: replaying the journal up to `journal` rebuilds
// them.
struct Checkpoint {
  std::uint64_t cycle = 0;
  JournalPlace journal;
  BudgetHistory history;
  std::chrono::milliseconds since_reset{0};
  Json engine;  // The state of the mutation engine.
};

// Replaces the file atomically.
Result<void> save_checkpoint(const std::filesystem::path& path,
                             const Checkpoint& checkpoint);
// Returns DataDamaged if any byte differs from what was written.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& path);

}  // namespace lamarck::archipelago
