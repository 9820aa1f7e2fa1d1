#include "lamarck/environment/double_pole.h"

#include <algorithm>
#include <numbers>

#include "lamarck/base/ensure.h"
#include "lamarck/environment/double_pole_motion.h"

namespace lamarck::environment {

void DoublePole::reset(Rng& rng) {
  constexpr double kDegree = std::numbers::pi / 180;
  set_state({0, 0, rng.uniform(-kDegree, kDegree), 0, 0, 0});
}

void DoublePole::set_state(const State& state) {
  state_ = state;
  steps_ = 0;
}

double DoublePole::step(double force) {
  REQUIRE(
      !is_done(),
      "DoublePole::step: the episode is over; call reset() or set_state().");
  const double bounded =
      std::clamp(force, -kActionKind.bound, kActionKind.bound);
  auto& [x, speed, angle1, turn1, angle2, turn2] = state_;
  DoublePoleMotion::Point at{x, speed, angle1, turn1, angle2, turn2};
  // Two Runge-Kutta steps of 0.01 s each.
  at = DoublePoleMotion::move(bounded, at);
  at = DoublePoleMotion::move(bounded, at);
  state_ = {at.x, at.speed, at.angle1, at.turn1, at.angle2, at.turn2};
  ++steps_;
  return 1;
}

bool DoublePole::has_failed() const {
  return !DoublePoleMotion::is_upright(state_[0], state_[2], state_[4]);
}

}  // namespace lamarck::environment
