// Evolves a policy that balances a pole, starting from four inputs, two outputs
// and no hidden nodes.

#include <cstdio>

#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/rl_task.h"

using namespace lamarck;
using namespace lamarck::evolution;
using environment::CartPole;

int main() {
  const EvolutionResult result =
      Evolution{.network = minimal_network(4, 2, /*seed=*/1),
                .task = RLTask<CartPole>(),
                .options = {.seed = 1,
                            .target_metric = 475.0 / 500,
                            .budget = {.evaluations = 40}}}
          .run()
          .value();

  // Test episodes that were not used in training.
  NetworkStepper policy(result.network);
  const PolicyGame game = policy_game<CartPole>();
  double steps = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    steps += game.best_return(policy, rng) / 100;
  }
  std::printf("%lld candidates; the best has %zu hidden nodes.\n",
              static_cast<long long>(result.counts.evaluations),
              result.network.hidden_count());
  std::printf("100 new poles stay up for %.0f of 500 steps on average.\n",
              steps);
  return steps >= 475 ? 0 : 1;
}
