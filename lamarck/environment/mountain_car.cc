#include "lamarck/environment/mountain_car.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"

namespace lamarck::environment {
namespace {

// Gymnasium's constants, per step.
constexpr double kLeftEnd = -1.2;
constexpr double kRightEnd = 0.6;
constexpr double kMaxCarSpeed = 0.07;
constexpr double kGoal = 0.5;
constexpr double kForce = 0.001;
constexpr double kCarGravity = 0.0025;

}  // namespace

void MountainCar::reset(Rng& rng) {
  state_ = {rng.uniform(-0.6, -0.4), 0};
  steps_ = 0;
}

void MountainCar::set_state(const State& state) {
  state_ = state;
  steps_ = 0;
}

double MountainCar::step(std::size_t action) {
  REQUIRE(
      !is_done(),
      "MountainCar::step: the episode is over; call reset() or set_state().");
  REQUIRE(action < kActionKind.count,
          "MountainCar::step: action must be 0, 1 or 2, got {}.", action);
  auto& [position, speed] = state_;
  const double push = (static_cast<double>(action) - 1) * kForce;
  speed += push - std::cos(3 * position) * kCarGravity;
  speed = std::clamp(speed, -kMaxCarSpeed, kMaxCarSpeed);
  position = std::clamp(position + speed, kLeftEnd, kRightEnd);
  // The car stops at the left wall.
  if (position == kLeftEnd && speed < 0) speed = 0;
  ++steps_;
  return -1;
}

bool MountainCar::has_arrived() const {
  // Gymnasium's goal velocity is 0.
  return state_[0] >= kGoal && state_[1] >= 0;
}

}  // namespace lamarck::environment
