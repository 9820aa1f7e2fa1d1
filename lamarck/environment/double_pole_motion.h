// The equations of motion of DoublePole (Wieland 1991), shared by the single
// and the vectorized environment.

#pragma once

#include <cmath>
#include <numbers>

#include "lamarck/environment/quick_sine.h"

namespace lamarck::environment {

struct DoublePoleMotion {
  static constexpr double kGravity = -9.8;
  static constexpr double kCartMass = 1.0;
  static constexpr double kCartFriction = 5e-4;
  static constexpr double kHingeFriction = 2e-6;
  static constexpr double kForce = 10.0;
  static constexpr double kSeconds = 0.01;  // Length of a Runge-Kutta step.
  static constexpr double kLargestAngle = 36 * std::numbers::pi / 180;
  static constexpr double kLargestPosition = 2.4;

  struct Pole {
    double half_length = 0;
    double mass = 0;
  };
  static constexpr Pole kLong{.half_length = 0.5, .mass = 0.1};
  static constexpr Pole kShort{.half_length = 0.05, .mass = 0.01};

  // Position and speed of the cart, angle and angular speed of the long and the
  // short pole; also used for their time derivatives.
  struct Point {
    double x, speed, angle1, turn1, angle2, turn2;
  };

  // The effective force and mass with which a pole acts on the cart.
  struct Pull {
    double sine, cosine, hinge, force, mass;
  };
  [[gnu::always_inline]] static Pull pull(const Pole& pole, double angle,
                                          double turn) {
    const auto [sine, cosine] = quick_sine_cosine(angle);
    const double moment = pole.mass * pole.half_length;
    const double hinge = kHingeFriction / moment * turn;
    return {.sine = sine,
            .cosine = cosine,
            .hinge = hinge,
            .force = moment * turn * turn * sine +
                     0.75 * pole.mass * cosine * (hinge + kGravity * sine),
            .mass = pole.mass * (1 - 0.75 * cosine * cosine)};
  }

  // Returns the angular acceleration of a pole.
  [[gnu::always_inline]] static double turning(const Pole& pole,
                                               const Pull& pull,
                                               double acceleration) {
    return -0.75 / pole.half_length *
           (acceleration * pull.cosine + kGravity * pull.sine + pull.hinge);
  }

  // Returns the time derivative of the state.
  [[gnu::always_inline]] static Point slope(double force, const Point& at) {
    const Pull first = pull(kLong, at.angle1, at.turn1);
    const Pull second = pull(kShort, at.angle2, at.turn2);
    const double sign = (at.speed > 0 ? 1.0 : 0.0) - (at.speed < 0 ? 1.0 : 0.0);
    const double acceleration =
        (force - kCartFriction * sign + first.force + second.force) /
        (kCartMass + first.mass + second.mass);
    return {.x = at.speed,
            .speed = acceleration,
            .angle1 = at.turn1,
            .turn1 = turning(kLong, first, acceleration),
            .angle2 = at.turn2,
            .turn2 = turning(kShort, second, acceleration)};
  }

  // Returns from + seconds * slope.
  [[gnu::always_inline]] static Point moved(const Point& from, double seconds,
                                            const Point& slope) {
    return {.x = from.x + seconds * slope.x,
            .speed = from.speed + seconds * slope.speed,
            .angle1 = from.angle1 + seconds * slope.angle1,
            .turn1 = from.turn1 + seconds * slope.turn1,
            .angle2 = from.angle2 + seconds * slope.angle2,
            .turn2 = from.turn2 + seconds * slope.turn2};
  }

  // Advances the state by kSeconds with the classic Runge-Kutta method.
  [[gnu::always_inline]] static Point move(double force, const Point& at) {
    const Point a = slope(force, at);
    const Point b = slope(force, moved(at, kSeconds / 2, a));
    const Point c = slope(force, moved(at, kSeconds / 2, b));
    const Point d = slope(force, moved(at, kSeconds, c));
    return moved(at, kSeconds / 6, moved(moved(moved(a, 2, b), 2, c), 1, d));
  }

  [[gnu::always_inline]] static bool is_upright(double x, double angle1,
                                                double angle2) {
    return std::abs(x) <= kLargestPosition &&
           std::abs(angle1) <= kLargestAngle &&
           std::abs(angle2) <= kLargestAngle;
  }
};

}  // namespace lamarck::environment
