// Two poles of different length on one cart that must both be kept upright
// (Wieland 1991), with the constants of the NEAT paper.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class DoublePole {
 public:
  // The action is the force in N.
  static constexpr ContinuousActions kActionKind{.size = 1, .bound = 10};
  static constexpr std::size_t kObservations = 6;
  static constexpr int kMaxSteps = 100'000;
  // Position and speed of the cart, angle and angular speed of the long pole,
  // angle and angular speed of the short pole.
  using State = std::array<double, kObservations>;

  // Starts at rest in the middle of the track, with the long pole at a random
  // angle of at most one degree.
  void reset(Rng& rng);
  // Starts a new episode from `state`.
  void set_state(const State& state);

  // Applies the force, clamped to its bound, for 0.02 s. The reward is 1.
  //
  // REQUIRES: !is_done().
  double step(double force);

  // Whether a pole leans by more than 36 degrees or the cart left the track.
  bool has_failed() const;
  // Whether the episode failed or lasted 100,000 steps.
  bool is_done() const { return has_failed() || steps_ >= kMaxSteps; }
  const State& state() const { return state_; }
  const State& observation() const { return state_; }
  int steps() const { return steps_; }

 private:
  State state_{};
  int steps_ = 0;
};
static_assert(Environment<DoublePole>);

}  // namespace lamarck::environment
