// Islands that evolve side by side, the worse half of which is replaced from
// the best now and then.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/island.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"

namespace lamarck::archipelago {

struct OnIslandsRemoved {
  static constexpr std::string_view type = "on_islands_removed";
  std::vector<std::size_t> payload;  // Their numbers.
};
struct OnIslandsRevived {
  static constexpr std::string_view type = "on_islands_revived";
  std::vector<std::size_t> payload;
};
struct OnBestIslandImproved {
  static constexpr std::string_view type = "on_best_island_improved";
  std::size_t payload;
};
using EvolverEvent =
    std::variant<OnIslandsRemoved, OnIslandsRevived, OnBestIslandImproved>;

// When the worse half of the islands begins again. Nothing set means never.
struct ResetPeriod {
  std::optional<std::int64_t> evaluations = 2000;  // The same in every run.
  std::optional<std::chrono::milliseconds> time;   // As the clock has it.
};

struct EvolverOptions {
  std::size_t num_islands = 10;
  std::size_t num_parallel = 2;  // Threads; they do not change the result.
  ResetPeriod reset_period;
  IslandOptions island;
  BudgetLimits budget;
  std::uint64_t seed = 1;
  std::optional<double> goal;  // Ends when the best score reaches it.
};

// The evolver, its journal, checkpoints and events are declared in full by
// their own headers; see evolver.cc for the cycle:
//   for all islands side by side: request_mutation
//   in the order of islands: record, store, count, improve
//   engine.end_cycle; perhaps reset; perhaps checkpoint
class Evolver;

}  // namespace lamarck::archipelago
