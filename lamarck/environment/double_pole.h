// Two poles of different length on one cart, to be kept upright together
// (Wieland 1991), with the constants of the NEAT paper.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class DoublePole {
 public:
  // The force in N.
  static constexpr ContinuousActions kActionKind{.size = 1, .bound = 10};
  static constexpr std::size_t kObservations = 6;
  static constexpr int kMostSteps = 100'000;
  // Position, speed, angle and angular speed of the long pole, likewise of the
  // short one.
  using State = std::array<double, kObservations>;

  // At rest in the middle, the long pole leaning by an angle drawn from one
  // degree either way.
  void reset(Rng& rng);
  void set_state(const State& state);

  // Pushes for 0.02 s with the force, which is brought into its bounds; the
  // reward is 1. REQUIRES: not is_done().
  double step(double force);

  // A pole leans by more than 36 degrees or the cart left the track.
  bool has_failed() const;
  // It failed, or 100,000 steps are over.
  bool is_done() const { return has_failed() || steps_ >= kMostSteps; }
  const State& state() const { return state_; }
  const State& observation() const { return state_; }
  int steps() const { return steps_; }

 private:
  State state_{};
  int steps_ = 0;
};
static_assert(Environment<DoublePole>);

}  // namespace lamarck::environment
