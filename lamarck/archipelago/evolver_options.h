// The options, events and outcome of a run of the archipelago.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/island.h"
#include "lamarck/base/budget.h"

namespace lamarck::archipelago {

// When the worse half of the islands restarts. With both unset, never.
struct ResetPeriod {
  std::optional<std::int64_t> evaluations = 2000;  // Reproducible.
  std::optional<std::chrono::milliseconds> time;   // Not reproducible.
};

// The first function of a restarted island.
enum class Founder : std::uint8_t {
  Survivor,   // The best function of a randomly drawn island that stays.
  BestOfAll,  // The best function of all islands.
};

struct EvolverOptions {
  std::size_t num_islands = 10;
  std::size_t num_parallel = 2;  // Threads; do not affect the result.
  ResetPeriod reset_period;
  Founder founder = Founder::Survivor;
  IslandOptions island;
  BudgetLimits budget;
  std::uint64_t seed = 1;
  std::optional<double> goal;  // Ends the run when the best score reaches it.
  std::optional<std::uint64_t> max_cycles;
  // How often skeletons of one hash are evaluated in the whole run. After that,
  // an island that makes one for the first time reuses the known evaluation;
  // an island that already has it made a duplicate.
  std::size_t max_evaluations_per_function = 1;
  // Skeletons to remember; 0 disables duplicate detection.
  std::size_t max_remembered = 100'000;
  // The run ends after this many consecutive errors or duplicates.
  std::size_t max_errors_in_row = 200;
  std::size_t max_duplicates_in_row = 20'000;
  std::chrono::milliseconds checkpoint_period{10'000};
};

// What a run has done so far.
struct EvolverCounts {
  std::uint64_t cycles = 0;
  std::int64_t evaluations = 0;  // Including trials within engines.
  std::int64_t made = 0;         // Functions that engines returned.
  std::int64_t stored = 0;
  std::int64_t failed = 0;      // Evaluations without a score.
  std::int64_t errors = 0;      // Mutations that returned no function.
  std::int64_t duplicates = 0;  // Neither evaluated nor stored.
  std::int64_t reused = 0;      // Stored with a known evaluation.
  std::int64_t rejected = 0;    // By EvolverParts::confirm.
  std::int64_t resets = 0;
  MutationCost cost;
  // How often each message of a failed evaluation or an error occurred. After
  // the first 100 messages, new ones count as "other reasons".
  std::map<std::string, std::int64_t> reasons;
};

struct IslandsRemoved {
  static constexpr std::string_view type = "on_islands_removed";
  std::vector<std::size_t> payload;  // Indices of the islands.
};
struct IslandsRevived {
  static constexpr std::string_view type = "on_islands_revived";
  std::vector<std::size_t> payload;
};
struct BestIslandImproved {
  static constexpr std::string_view type = "on_best_island_improved";
  std::size_t payload;
};
struct FunctionRejected {
  static constexpr std::string_view type = "on_function_rejected";
  FunctionPtr payload;
};
struct CycleEnded {
  static constexpr std::string_view type = "on_cycle_ended";
  struct Payload {
    std::uint64_t cycle;
    FunctionPtr best;
    std::vector<double> island_scores;  // The best score of each island.
    EvolverCounts counts;
  } payload;
};
using EvolverEvent =
    std::variant<IslandsRemoved, IslandsRevived, BestIslandImproved,
                 FunctionRejected, CycleEnded>;

enum class EvolverEnd : std::uint8_t {
  Budget,
  Goal,
  Cancelled,
  MaxCycles,
  Errors,      // The engine returns only errors.
  Duplicates,  // The engine returns only functions that are known.
};

struct EvolverOutcome {
  FunctionPtr best;
  EvolverEnd end = EvolverEnd::Budget;
  std::string reason;  // A complete sentence.
  EvolverCounts counts;
};

}  // namespace lamarck::archipelago
