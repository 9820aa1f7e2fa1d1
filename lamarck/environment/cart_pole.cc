#include "lamarck/environment/cart_pole.h"

#include "lamarck/base/ensure.h"
#include "lamarck/environment/cart_pole_motion.h"

namespace lamarck::environment {

void CartPole::reset(Rng& rng) {
  for (double& value : state_) value = rng.uniform(-0.05, 0.05);
  steps_ = 0;
}

void CartPole::set_state(const State& state) {
  state_ = state;
  steps_ = 0;
}

double CartPole::step(std::size_t action) {
  REQUIRE(!is_done(),
          "CartPole::step: the episode is over; call reset() or set_state().");
  REQUIRE(action < kActions, "CartPole::step: action must be 0 or 1, got {}.",
          action);
  auto& [x, speed, angle, turn] = state_;
  const double force =
      action == 1 ? CartPoleMotion::kForce : -CartPoleMotion::kForce;
  CartPoleMotion::move(force, x, speed, angle, turn);
  ++steps_;
  return 1;
}

bool CartPole::has_failed() const {
  return !CartPoleMotion::is_upright(state_[0], state_[2]);
}

}  // namespace lamarck::environment
