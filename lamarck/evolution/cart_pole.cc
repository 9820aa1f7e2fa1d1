#include "lamarck/evolution/cart_pole.h"

#include <cmath>
#include <numbers>

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

constexpr double kGravity = 9.8;
constexpr double kPoleMass = 0.1;
constexpr double kTotalMass = 1.0 + kPoleMass;
constexpr double kHalfLength = 0.5;
constexpr double kForce = 10.0;
constexpr double kSeconds = 0.02;
constexpr double kLargestAngle = 12 * 2 * std::numbers::pi / 360;
constexpr double kLargestPosition = 2.4;

}  // namespace

void CartPole::reset(Rng& rng) {
  for (double& value : state_) value = rng.uniform(-0.05, 0.05);
  steps_ = 0;
}

void CartPole::set_state(const State& state) {
  state_ = state;
  steps_ = 0;
}

double CartPole::step(std::size_t action) {
  REQUIRE(!is_done(), "CartPole::step: the episode is not over");
  REQUIRE(action < kActions, "CartPole::step: the action is 0 or 1");
  auto& [x, speed, angle, turn] = state_;
  const double force = action == 1 ? kForce : -kForce;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
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
  ++steps_;
  return 1;
}

bool CartPole::has_failed() const {
  return !(std::abs(state_[0]) <= kLargestPosition &&
           std::abs(state_[2]) <= kLargestAngle);
}

}  // namespace lamarck::evolution
