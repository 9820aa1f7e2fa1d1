#include "lamarck/neat/neat_search.h"

namespace lamarck::neat {

NeatOutcome search(Population& population, const NeatTask& task,
                   const NeatLimits& limits, ThreadPool* pool) {
  NeatOutcome outcome;
  while (true) {
    outcome.solved = population.evaluate(task, pool);
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

}  // namespace lamarck::neat
