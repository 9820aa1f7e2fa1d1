// What a run of the archipelago is told, and what it tells.

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

// When the worse half of the islands begins again. Nothing set means never.
struct ResetPeriod {
  std::optional<std::int64_t> evaluations = 2000;  // The same in every run.
  std::optional<std::chrono::milliseconds> time;   // As the clock has it.
};

// What an island that begins again begins with.
enum class Founder : std::uint8_t {
  Survivor,   // The best function of an island that stays, drawn by chance.
  BestOfAll,  // The best function of all islands.
};

struct EvolverOptions {
  std::size_t num_islands = 10;
  std::size_t num_parallel = 2;  // Threads; they do not change the result.
  ResetPeriod reset_period;
  Founder founder = Founder::Survivor;
  IslandOptions island;
  BudgetLimits budget;
  std::uint64_t seed = 1;
  std::optional<double> goal;  // Ends when the best score reaches it.
  std::optional<std::uint64_t> max_cycles;
  // How often skeletons of one hash are evaluated in the whole run. An island
  // that makes one of them for the first time gets it with the evaluation that
  // is known; one that has it already made a duplicate.
  std::size_t most_evaluations_of_one = 1;
  std::size_t most_remembered = 100'000;  // Skeletons; 0: no duplicates.
  // Ends when so many mutations in a row gave an error, or were duplicates.
  std::size_t most_errors_in_row = 200;
  std::size_t most_duplicates_in_row = 20'000;
  std::chrono::milliseconds checkpoint_period{10'000};
};

// What a run did so far.
struct EvolverCounts {
  std::uint64_t cycles = 0;
  std::int64_t evaluations = 0;  // With the trials within engines.
  std::int64_t made = 0;         // Functions of engines.
  std::int64_t stored = 0;
  std::int64_t failed = 0;      // Evaluations without a score.
  std::int64_t errors = 0;      // Mutations without a function.
  std::int64_t duplicates = 0;  // Not evaluated, not stored.
  std::int64_t reused = 0;      // Not evaluated, stored.
  std::int64_t rejected = 0;    // By the confirmation of a new best.
  std::int64_t resets = 0;
  MutationCost cost;
  // Of failed evaluations and errors, by their sentence; rare ones together.
  std::map<std::string, std::int64_t> reasons;
};

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
struct OnFunctionRejected {
  static constexpr std::string_view type = "on_function_rejected";
  FunctionPtr payload;
};
struct OnCycleEnded {
  static constexpr std::string_view type = "on_cycle_ended";
  struct Payload {
    std::uint64_t cycle;
    FunctionPtr best;
    std::vector<double> island_scores;  // The best of each.
    EvolverCounts counts;
  } payload;
};
using EvolverEvent =
    std::variant<OnIslandsRemoved, OnIslandsRevived, OnBestIslandImproved,
                 OnFunctionRejected, OnCycleEnded>;

enum class EvolverEnd : std::uint8_t {
  Budget,
  Goal,
  Cancelled,
  MaxCycles,
  Errors,      // The engine gives nothing but errors.
  Duplicates,  // Nor anything new.
};

struct EvolverOutcome {
  FunctionPtr best;
  EvolverEnd end = EvolverEnd::Budget;
  std::string reason;  // A sentence.
  EvolverCounts counts;
};

}  // namespace lamarck::archipelago
