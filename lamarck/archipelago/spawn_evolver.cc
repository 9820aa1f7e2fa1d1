#include "lamarck/archipelago/spawn_evolver.h"

#include <memory>
#include <utility>
#include <vector>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/formula/formula.h"

namespace lamarck::archipelago {
namespace {

// Sends all events through one profiler, which delivers one event at a time.
void add_profiler(Evolver& evolver, MutationEngine& engine,
                  std::function<void(const ArchipelagoEvent&)> function) {
  const auto all = std::make_shared<Profiler<ArchipelagoEvent>>();
  all->use_profiler(std::move(function));
  const auto forward = [all](const auto& event) {
    all->send(ArchipelagoEvent(event));
  };
  evolver.use_profiler(forward);
  evolver.use_island_profiler(forward);
  evolver.use_cluster_profiler(forward);
  evolver.use_function_profiler(forward);
  engine.use_profiler(forward);
}

}  // namespace

std::string_view event_type_of(const ArchipelagoEvent& event) {
  return std::visit([](const auto& held) { return event_type(held); }, event);
}

SkeletonReader formula_reader() {
  return [](const std::string& source,
            const std::vector<double>& constants) -> Result<SkeletonPtr> {
    ASSIGN_OR_RETURN(formula::Formula formula, formula::parse_python(source));
    return std::make_shared<FormulaSkeleton>(std::move(formula), constants,
                                             source);
  };
}

Result<std::unique_ptr<Evolver>> spawn_evolver(EvolverConfig config) {
  REQUIRE(
      config.evaluator != nullptr && config.engine != nullptr,
      "spawn_evolver: config.evaluator or config.engine is null; set both.");
  ASSIGN_OR_RETURN(formula::Formula formula,
                   formula::parse_python(config.equation));
  const std::string docstring = formula.docstring;
  const auto equation = std::make_shared<FormulaSkeleton>(
      std::move(formula), std::vector<double>{}, config.equation);
  ASSIGN_OR_RETURN(std::shared_ptr<MutationEngine> engine,
                   config.engine({.equation = equation,
                                  .evaluator = config.evaluator,
                                  .prompt_comment = config.prompt_comment,
                                  .docstring = docstring}));
  auto evolver = std::make_unique<Evolver>(
      config.options, EvolverParts{.engine = engine,
                                   .evaluator = config.evaluator,
                                   .first = {equation},
                                   .folder = std::move(config.folder),
                                   .is_resumed = config.is_resumed,
                                   .reader = formula_reader(),
                                   .fingerprint = std::move(config.fingerprint),
                                   .clock = config.clock});
  if (config.profiler_fn) {
    add_profiler(*evolver, *engine, std::move(config.profiler_fn));
  }
  return evolver;
}

}  // namespace lamarck::archipelago
