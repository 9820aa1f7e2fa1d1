#include "lamarck/environment/pole_lanes.h"

#include "lamarck/base/ensure.h"
#include "lamarck/environment/cart_pole_motion.h"
#include "lamarck/environment/double_pole_motion.h"

// Highway compiles this file once for every SIMD target; the best one that the
// machine supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/environment/pole_lanes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::environment::HWY_NAMESPACE {

// The compiler vectorizes these loops for each target. The state is stored as
// [variable][lane].

std::size_t step_cart_poles_here(const double* HWY_RESTRICT outputs,
                                 double* HWY_RESTRICT state,
                                 double* HWY_RESTRICT inputs) {
  std::uint64_t failed = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    double x = state[k];
    double speed = state[kLanes + k];
    double angle = state[2 * kLanes + k];
    double turn = state[3 * kLanes + k];
    const double force =
        outputs[k] > 0.5 ? CartPoleMotion::kForce : -CartPoleMotion::kForce;
    CartPoleMotion::move(force, x, speed, angle, turn);
    state[k] = x;
    state[kLanes + k] = speed;
    state[2 * kLanes + k] = angle;
    state[3 * kLanes + k] = turn;
    inputs[k] = x * kCartPoleScale[0];
    inputs[kLanes + k] = speed * kCartPoleScale[1];
    inputs[2 * kLanes + k] = angle * kCartPoleScale[2];
    inputs[3 * kLanes + k] = turn * kCartPoleScale[3];
  }
  for (std::size_t k = 0; k < kLanes; ++k) {
    failed +=
        CartPoleMotion::is_upright(state[k], state[2 * kLanes + k]) ? 0U : 1U;
  }
  return failed;
}

std::size_t step_double_poles_here(const double* HWY_RESTRICT outputs,
                                   double* HWY_RESTRICT state,
                                   double* HWY_RESTRICT inputs) {
  for (std::size_t k = 0; k < kLanes; ++k) {
    DoublePoleMotion::Point at{state[k],
                               state[kLanes + k],
                               state[2 * kLanes + k],
                               state[3 * kLanes + k],
                               state[4 * kLanes + k],
                               state[5 * kLanes + k]};
    const double force = 2 * DoublePoleMotion::kForce * (outputs[k] - 0.5);
    // Two Runge-Kutta steps of 0.01 s each, as in DoublePole.
    at = DoublePoleMotion::move(force, at);
    at = DoublePoleMotion::move(force, at);
    state[k] = at.x;
    state[kLanes + k] = at.speed;
    state[2 * kLanes + k] = at.angle1;
    state[3 * kLanes + k] = at.turn1;
    state[4 * kLanes + k] = at.angle2;
    state[5 * kLanes + k] = at.turn2;
    inputs[k] = at.x * kDoublePoleScale[0];
    inputs[kLanes + k] = at.angle1 * kDoublePoleScale[2];
    inputs[2 * kLanes + k] = at.angle2 * kDoublePoleScale[4];
  }
  std::uint64_t failed = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    failed += DoublePoleMotion::is_upright(state[k], state[2 * kLanes + k],
                                           state[4 * kLanes + k])
                  ? 0U
                  : 1U;
  }
  return failed;
}

}  // namespace lamarck::environment::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::environment {

HWY_EXPORT(step_cart_poles_here);
HWY_EXPORT(step_double_poles_here);

void CartPoleLanes::set_state(std::size_t lane, const State& state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    state_[kLanes * i + lane] = state[i];
    inputs_[kLanes * i + lane] = state[i] * kCartPoleScale[i];
  }
}

CartPoleLanes::State CartPoleLanes::state(std::size_t lane) const {
  State state;
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] = state_[kLanes * i + lane];
  }
  return state;
}

bool CartPoleLanes::has_failed(std::size_t lane) const {
  return !CartPoleMotion::is_upright(state_[lane], state_[2 * kLanes + lane]);
}

std::size_t CartPoleLanes::step(std::span<const double> outputs) {
  REQUIRE(outputs.size() == kLanes,
          "CartPoleLanes::step: expected one output for each of {} carts, got "
          "{}.",
          kLanes, outputs.size());
  return HWY_DYNAMIC_DISPATCH(step_cart_poles_here)(
      outputs.data(), state_.data(), inputs_.data());
}

void DoublePoleLanes::set_state(std::size_t lane, const State& state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    state_[kLanes * i + lane] = state[i];
  }
  for (std::size_t i = 0; i < kInputs; ++i) {
    inputs_[kLanes * i + lane] = state[2 * i] * kDoublePoleScale[2 * i];
  }
}

DoublePoleLanes::State DoublePoleLanes::state(std::size_t lane) const {
  State state;
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] = state_[kLanes * i + lane];
  }
  return state;
}

bool DoublePoleLanes::has_failed(std::size_t lane) const {
  return !DoublePoleMotion::is_upright(state_[lane], state_[2 * kLanes + lane],
                                       state_[4 * kLanes + lane]);
}

std::size_t DoublePoleLanes::step(std::span<const double> outputs) {
  REQUIRE(outputs.size() == kLanes,
          "DoublePoleLanes::step: expected one output for each of {} carts, "
          "got {}.",
          kLanes, outputs.size());
  return HWY_DYNAMIC_DISPATCH(step_double_poles_here)(
      outputs.data(), state_.data(), inputs_.data());
}

}  // namespace lamarck::environment
#endif  // HWY_ONCE
