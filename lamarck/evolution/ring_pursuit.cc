#include "lamarck/evolution/ring_pursuit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/evolution/network_stepper.h"

namespace lamarck::evolution {
namespace {

constexpr double kCatch = 0.05;  // Nearer than this it is caught.

struct Runner {
  double most_speed;
  double most_push;  // Change of speed in a step.
  double place = 0;
  double speed = 0;

  void move(double push) {
    speed += std::clamp(push, -1.0, 1.0) * most_push;
    speed = std::clamp(speed, -most_speed, most_speed);
    place += speed;
  }
};

// The shorter way, from -1 to 1; once around is 2.
double way(const Runner& from, const Runner& to) {
  return std::remainder(to.place - from.place, 2.0);
}

double push_of(NetworkStepper& stepper, const Runner& self,
               const Runner& other) {
  constexpr double kSpeedScale = 10;
  const std::array<float, RingPursuit::kInputs> seen = {
      static_cast<float>(way(self, other)),
      static_cast<float>(kSpeedScale * self.speed),
      static_cast<float>(kSpeedScale * other.speed), 1.0f};
  return double{stepper.step(seen)[0]};
}

}  // namespace

ContestScores RingPursuit::chase(const Network& pursuer, const Network& evader,
                                 Rng& rng) {
  NetworkStepper pursuing(pursuer);
  NetworkStepper evading(evader);
  Runner hunter{.most_speed = 0.1, .most_push = 0.01};
  Runner prey{.most_speed = 0.08, .most_push = 0.03};
  prey.place = rng.uniform(0.3, 1.7);
  int steps = 0;
  while (steps < kMostSteps && std::abs(way(hunter, prey)) > kCatch) {
    const double hunting = push_of(pursuing, hunter, prey);
    const double fleeing = push_of(evading, prey, hunter);
    hunter.move(hunting);
    prey.move(fleeing);
    ++steps;
  }
  constexpr double kCloseness = 0.1;
  const double saved = 1 - static_cast<double>(steps) / kMostSteps;
  const double near = 1 - std::abs(way(hunter, prey));
  return ContestScores::zero_sum((1 - kCloseness) * saved + kCloseness * near);
}

Network RingPursuit::beginner(std::uint64_t seed) {
  Network network = minimal_network(kInputs, kOutputs, seed);
  network.set_activation(network.nodes_of(Role::Output)[0], Activation::Tanh);
  return network;
}

}  // namespace lamarck::evolution
