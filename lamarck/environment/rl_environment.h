// Scaling, reward shaping and scores of environments for reinforcement
// learning.

#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/environment/environment.h"
#include "lamarck/environment/mountain_car.h"
#include "lamarck/environment/pendulum.h"

namespace lamarck::environment {

// The defaults suit any environment; specialize the template to improve them.
//
// `kScales` scale observations to about [-1, 1]. `potential` shapes the rewards
// during training: discount * after - before is added, which does not change
// the optimal policy (Ng, Harada and Russell 1999). Evaluations do not use it.
// `score` converts a mean return to the score that tasks report; training ends
// when the score reaches `kEnough`.
template <Environment E>
struct RLEnvironment {
  static constexpr std::array<float, E::kObservations> kScales = [] {
    std::array<float, E::kObservations> ones{};
    ones.fill(1);
    return ones;
  }();
  static constexpr double kEnough = std::numeric_limits<double>::infinity();

  static double potential(const E& /*environment*/) { return 0; }
  static double score(double mean_return) { return mean_return; }
};

// The score is the share of 500 steps that the pole stands.
template <>
struct RLEnvironment<CartPole> {
  static constexpr std::array<float, 4> kScales = {0.4f, 0.4f, 5, 0.4f};
  static constexpr double kEnough = 1;

  static double potential(const CartPole& /*environment*/) { return 0; }
  static double score(double mean_return) { return mean_return / 500; }
};

// The score is (200 + return) / 100: 0 if the car never arrives, 0.9 if it
// takes 110 steps, which is Gymnasium's threshold, and 1 if it takes 100.
//
// The constant reward of -1 carries no information before the first arrival, so
// the potential is the energy of the car: half the speed squared plus the
// height of the hill.
template <>
struct RLEnvironment<MountainCar> {
  static constexpr std::array<float, 2> kScales = {1.5f, 15};
  static constexpr double kEnough = 1;

  static double potential(const MountainCar& environment) {
    const auto& [position, speed] = environment.state();
    constexpr double kGravity = 0.0025;
    const double energy =
        0.5 * speed * speed + kGravity / 3 * (1 + std::sin(3 * position));
    return environment.has_arrived() ? 0 : kPotential * (energy - kHighest);
  }
  static double score(double mean_return) { return (200 + mean_return) / 100; }

 private:
  static constexpr double kPotential = 2e4;    // Worth some tens of steps.
  static constexpr double kHighest = 1.67e-3;  // Energy at a slow arrival.
};

// The score is 1 + return / 1200: about 0 without any torque, and 0.87 at a
// return of -150, which good policies reach.
template <>
struct RLEnvironment<Pendulum> {
  static constexpr std::array<float, 3> kScales = {1, 1, 0.25f};
  static constexpr double kEnough = 0.9;

  static double potential(const Pendulum& /*environment*/) { return 0; }
  static double score(double mean_return) { return 1 + mean_return / 1200; }
};

}  // namespace lamarck::environment
