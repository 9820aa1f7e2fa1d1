#include "lamarck/environment/pendulum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lamarck/base/ensure.h"

namespace lamarck::environment {
namespace {

constexpr double kPendulumGravity = 10;
constexpr double kMass = 1;
constexpr double kLength = 1;
constexpr double kSeconds = 0.05;
constexpr double kMaxPendulumSpeed = 8;

// Returns the equivalent angle in [-pi, pi].
double wrapped_angle(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

}  // namespace

void Pendulum::reset(Rng& rng) {
  state_ = {rng.uniform(-std::numbers::pi, std::numbers::pi),
            rng.uniform(-1, 1)};
  steps_ = 0;
}

void Pendulum::set_state(const State& state) {
  state_ = state;
  steps_ = 0;
}

double Pendulum::step(double torque) {
  REQUIRE(!is_done(),
          "Pendulum::step: the episode is over; call reset() or set_state().");
  const double bounded =
      std::clamp(torque, -kActionKind.bound, kActionKind.bound);
  auto& [angle, speed] = state_;
  const double deviation = wrapped_angle(angle);
  const double cost =
      deviation * deviation + 0.1 * speed * speed + 0.001 * bounded * bounded;
  // A uniform rod with the moment of inertia m l^2 / 3.
  const double turning =
      3 * kPendulumGravity / (2 * kLength) * std::sin(angle) +
      3.0 / (kMass * kLength * kLength) * bounded;
  speed = std::clamp(speed + turning * kSeconds, -kMaxPendulumSpeed,
                     kMaxPendulumSpeed);
  angle += speed * kSeconds;
  ++steps_;
  return -cost;
}

Pendulum::Observation Pendulum::observation() const {
  return {std::cos(state_[0]), std::sin(state_[0]), state_[1]};
}

}  // namespace lamarck::environment
