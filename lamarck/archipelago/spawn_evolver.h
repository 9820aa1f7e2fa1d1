// An archipelago in one call: from the text of an equation to an evolver that
// can be started.

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

// Everything that happens in an archipelago.
using ArchipelagoEvent = std::variant<EvolverEvent, IslandEvent, ClusterEvent,
                                      FunctionEvent, MutationEngineEvent>;
std::string_view event_type_of(const ArchipelagoEvent& event);

// What an engine is made from.
struct EngineSettings {
  SkeletonPtr equation;
  std::shared_ptr<const Evaluator> evaluator;
  std::string prompt_comment;  // What the functions are about, for a model.
  std::string docstring;       // Of the equation.
};
using EngineMaker =
    std::function<Result<std::shared_ptr<MutationEngine>>(EngineSettings)>;

struct EvolverConfig {
  // A function of Python, as `formula::parse_python` reads it.
  std::string equation;
  std::shared_ptr<const Evaluator> evaluator;
  EngineMaker engine;
  std::string prompt_comment;
  // Hears everything, one event at a time, from several threads.
  std::function<void(const ArchipelagoEvent&)> profiler_fn;
  EvolverOptions options;
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
  std::string fingerprint;
  Clock* clock = nullptr;  // Outlives the evolver; null is the system's.
};

// Not started yet. The error says where the equation cannot be read.
Result<std::unique_ptr<Evolver>> spawn_evolver(EvolverConfig config);

// Reads formulas, as runs that `spawn_evolver` began are resumed with.
SkeletonReader formula_reader();

}  // namespace lamarck::archipelago
