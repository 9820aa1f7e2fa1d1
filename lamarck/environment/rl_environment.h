// What reinforcement learning knows of an environment beside its rules.

#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/environment/environment.h"
#include "lamarck/environment/mountain_car.h"
#include "lamarck/environment/pendulum.h"

namespace lamarck::environment {

// Specialise it for an environment of your own, or take it as it stands.
//
// `kScales` bring observations to about [-1, 1]. `potential` is added to the
// rewards while learning, as discount * after - before, which leaves the best
// policy the best one (Ng, Harada and Russell 1999); what is evaluated never
// has it. `score` turns a mean return into what tasks report, and learning ends
// at `kEnough` of it.
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

// The share of 500 steps that the pole stood.
template <>
struct RLEnvironment<CartPole> {
  static constexpr std::array<float, 4> kScales = {0.4f, 0.4f, 5, 0.4f};
  static constexpr double kEnough = 1;

  static double potential(const CartPole& /*environment*/) { return 0; }
  static double score(double mean_return) { return mean_return / 500; }
};

// (200 + return) / 100: 0 if it never arrives, 0.9 if it takes 110 steps,
// which is Gymnasium's mark, 1 if it takes 100. A reward of -1 whatever one
// does teaches nothing before the first arrival, so the potential is the
// energy: half the speed squared and the height of the hill.
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
  static constexpr double kPotential = 2e4;    // To some tens of steps.
  static constexpr double kHighest = 1.67e-3;  // Of a car that arrives slowly.
};

// 1 + return / 1200: about 0 if nothing is done, 0.87 at a return of -150,
// which is what good policies get.
template <>
struct RLEnvironment<Pendulum> {
  static constexpr std::array<float, 3> kScales = {1, 1, 0.25f};
  static constexpr double kEnough = 0.9;

  static double potential(const Pendulum& /*environment*/) { return 0; }
  static double score(double mean_return) { return 1 + mean_return / 1200; }
};

}  // namespace lamarck::environment
