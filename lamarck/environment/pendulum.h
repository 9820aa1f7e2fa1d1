// A pendulum that must be swung up and held upright by a motor too weak to lift
// it directly, with Gymnasium's Pendulum-v1 constants.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class Pendulum {
 public:
  // The action is the torque in N m.
  static constexpr ContinuousActions kActionKind{.size = 1, .bound = 2};
  static constexpr std::size_t kObservations = 3;
  static constexpr int kMaxSteps = 200;
  // Angle (0 is upright) and angular speed.
  using State = std::array<double, 2>;
  // Cosine and sine of the angle, angular speed.
  using Observation = std::array<double, kObservations>;

  // Draws any angle and an angular speed from [-1, 1].
  void reset(Rng& rng);
  // Starts a new episode from `state`.
  void set_state(const State& state);

  // Applies the torque, clamped to its bound, for 0.05 s. The reward is
  // -(angle^2 + 0.1 speed^2 + 0.001 torque^2) of the state before the step,
  // with the angle in [-pi, pi].
  //
  // REQUIRES: !is_done().
  double step(double torque);

  // Whether the episode lasted 200 steps.
  bool is_done() const { return steps_ >= kMaxSteps; }
  const State& state() const { return state_; }
  Observation observation() const;
  int steps() const { return steps_; }

 private:
  State state_{};
  int steps_ = 0;
};
static_assert(Environment<Pendulum>);

}  // namespace lamarck::environment
