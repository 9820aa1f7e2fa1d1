#include "lamarck/neat/neat_search.h"

#include "lamarck/base/macros.h"
#include "lamarck/neat/neat_crew.h"

namespace lamarck::neat {
namespace {

// `evaluate` evaluates a generation and returns whether it has a solution.
Result<NeatOutcome> search_by(Population& population, const NeatLimits& limits,
                              const std::function<Result<bool>()>& evaluate) {
  NeatOutcome outcome;
  while (true) {
    ASSIGN_OR_RETURN(outcome.solved, evaluate());
    outcome.cancelled = !outcome.solved && limits.cancel.is_cancelled();
    if (outcome.solved || outcome.cancelled ||
        population.evaluations() >= limits.evaluations) {
      break;
    }
    population.evolve();
  }
  outcome.evaluations = population.evaluations();
  outcome.generations = population.generation() + 1;
  outcome.best = population.best();
  return outcome;
}

}  // namespace

NeatOutcome search(Population& population, const NeatTask& task,
                   const NeatLimits& limits, ThreadPool* pool) {
  return search_by(
             population, limits,
             [&]() -> Result<bool> { return population.evaluate(task, pool); })
      .value();
}

Result<NeatOutcome> search(Population& population, NeatCrew& crew,
                           const NeatLimits& limits) {
  ASSIGN_OR_RETURN(NeatOutcome outcome, search_by(population, limits, [&] {
                     return population.evaluate(crew);
                   }));
  RETURN_IF_ERROR(crew.end());
  return outcome;
}

}  // namespace lamarck::neat
