// The equations of motion of CartPole, shared by the single and the vectorized
// environment.

#pragma once

#include <cmath>
#include <numbers>

#include "lamarck/environment/quick_sine.h"

namespace lamarck::environment {

struct CartPoleMotion {
  static constexpr double kGravity = 9.8;
  static constexpr double kPoleMass = 0.1;
  static constexpr double kTotalMass = 1.0 + kPoleMass;
  static constexpr double kHalfLength = 0.5;
  static constexpr double kForce = 10.0;
  static constexpr double kSeconds = 0.02;  // Length of a step.
  static constexpr double kLargestAngle = 12 * 2 * std::numbers::pi / 360;
  static constexpr double kLargestPosition = 2.4;

  // Advances the state by kSeconds with one Euler step.
  [[gnu::always_inline]] static void move(double force, double& x,
                                          double& speed, double& angle,
                                          double& turn) {
    const auto [sine, cosine] = quick_sine_cosine(angle);
    const double push =
        (force + kPoleMass * kHalfLength * turn * turn * sine) / kTotalMass;
    const double turning =
        (kGravity * sine - cosine * push) /
        (kHalfLength * (4.0 / 3.0 - kPoleMass * cosine * cosine / kTotalMass));
    const double acceleration =
        push - kPoleMass * kHalfLength * turning * cosine / kTotalMass;
    x += kSeconds * speed;
    speed += kSeconds * acceleration;
    angle += kSeconds * turn;
    turn += kSeconds * turning;
  }

  [[gnu::always_inline]] static bool is_upright(double x, double angle) {
    return std::abs(x) <= kLargestPosition && std::abs(angle) <= kLargestAngle;
  }
};

}  // namespace lamarck::environment
