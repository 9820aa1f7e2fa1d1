// A pendulum that a motor too weak to lift it at once must swing up and hold,
// with Gymnasium's Pendulum-v1 constants.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class Pendulum {
 public:
  // The torque in N m.
  static constexpr ContinuousActions kActionKind{.size = 1, .bound = 2};
  static constexpr std::size_t kObservations = 3;
  static constexpr int kMostSteps = 200;
  // Angle, 0 upright, and angular speed.
  using State = std::array<double, 2>;
  // Cosine and sine of the angle, angular speed.
  using Observation = std::array<double, kObservations>;

  // Any angle; a speed in [-1, 1].
  void reset(Rng& rng);
  void set_state(const State& state);

  // Turns for 0.05 s with the torque, which is brought into its bounds. The
  // reward is -(angle^2 + 0.1 speed^2 + 0.001 torque^2) as it was before, the
  // angle within half a turn. REQUIRES: not is_done().
  double step(double torque);

  // 200 steps are over.
  bool is_done() const { return steps_ >= kMostSteps; }
  const State& state() const { return state_; }
  Observation observation() const;
  int steps() const { return steps_; }

 private:
  State state_{};
  int steps_ = 0;
};
static_assert(Environment<Pendulum>);

}  // namespace lamarck::environment
