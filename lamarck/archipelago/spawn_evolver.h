// Creates an evolver from the text of an equation in one call.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// Any event of an archipelago.
using ArchipelagoEvent = std::variant<EvolverEvent, IslandEvent, ClusterEvent,
                                      FunctionEvent, MutationEngineEvent>;
std::string_view event_type_of(const ArchipelagoEvent& event);

// What an EngineMaker gets.
struct EngineSettings {
  SkeletonPtr equation;
  std::shared_ptr<const Evaluator> evaluator;
  std::string prompt_comment;  // Describes the problem to a model.
  std::string docstring;       // Describes the equation.
};
using EngineMaker =
    std::function<Result<std::shared_ptr<MutationEngine>>(EngineSettings)>;

struct EvolverConfig {
  // A Python function that `formula::parse_python` can read.
  std::string equation;
  std::shared_ptr<const Evaluator> evaluator;
  EngineMaker engine;
  std::string prompt_comment;
  // Receives all events, one at a time, from several threads.
  std::function<void(const ArchipelagoEvent&)> profiler_fn;
  EvolverOptions options;
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
  std::string fingerprint;
  Clock* clock = nullptr;  // Must outlive the evolver; null: system clock.
};

// Returns an evolver that is not started. An error says where the equation
// cannot be read. REQUIRES: `evaluator` and `engine` are set.
Result<std::unique_ptr<Evolver>> spawn_evolver(EvolverConfig config);

// Reads the formulas of a run that `spawn_evolver` created, to resume it.
SkeletonReader formula_reader();

}  // namespace lamarck::archipelago
