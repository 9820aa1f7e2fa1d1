// Evolves a controller for CartPole with NEAT and a custom task.

#include <cstdio>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/neat/neat_search.h"

using namespace lamarck;
using namespace lamarck::neat;

// The number of steps until the pole falls, from a fixed start.
NeatEvaluation balance(FlatNetwork& network) {
  environment::CartPole pole;
  pole.set_state({0, 0, 0.05, 0});
  while (!pole.is_done()) {
    pole.step(network.step(pole.observation())[0] > 0.5 ? 1 : 0);
  }
  return {.fitness = static_cast<double>(pole.steps()),
          .solved = !pole.has_failed()};
}

int main() {
  const NeatTask task{
      .name = "balance", .inputs = 4, .outputs = 1, .evaluate = balance};
  Population population(task.inputs, task.outputs, {.perturb_power = 1}, 42);
  const NeatOutcome outcome = search(population, task, {.evaluations = 5000});
  std::printf("%s after %lld evaluations, with %zu hidden nodes\n",
              outcome.solved ? "balanced" : "fell",
              static_cast<long long>(outcome.evaluations),
              outcome.best.hidden_count());
  return outcome.solved ? 0 : 1;
}
