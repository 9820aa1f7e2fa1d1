// Where a run stands, beside its journal, so that it can go on.

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

// The islands are not in it: they follow from the journal up to `journal`.
struct Checkpoint {
  std::uint64_t cycle = 0;
  JournalPlace journal;
  BudgetHistory history;
  std::chrono::milliseconds since_reset{0};
  Json engine;  // Its state.
};

// Replaces the file in one step.
Result<void> save_checkpoint(const std::filesystem::path& path,
                             const Checkpoint& checkpoint);
// DataDamaged if a byte is not as it was written.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& path);

}  // namespace lamarck::archipelago
