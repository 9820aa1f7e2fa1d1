#include "lamarck/evolution/pursuit_contest.h"

#include "lamarck/environment/ring_pursuit.h"
#include "lamarck/evolution/network_stepper.h"

namespace lamarck::evolution {

using environment::RingPursuit;

ContestScores PursuitContest::chase(const Network& pursuer,
                                    const Network& evader, Rng& rng) {
  NetworkStepper pursuing(pursuer);
  NetworkStepper evading(evader);
  RingPursuit pursuit(rng);
  while (!pursuit.is_done()) {
    const double hunting = double{pursuing.step(pursuit.pursuer_view())[0]};
    const double fleeing = double{evading.step(pursuit.evader_view())[0]};
    pursuit.step(hunting, fleeing);
  }
  return ContestScores::zero_sum(pursuit.pursuer_score());
}

Network PursuitContest::beginner(std::uint64_t seed) {
  Network network =
      minimal_network(RingPursuit::kInputs, RingPursuit::kOutputs, seed);
  network.set_activation(network.nodes_of(Role::Output)[0], Activation::Tanh);
  return network;
}

}  // namespace lamarck::evolution
