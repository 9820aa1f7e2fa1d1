// A car in a valley whose engine is too weak to climb out directly, so it must
// swing back and forth (Moore 1990), with Gymnasium's MountainCar-v0 constants.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class MountainCar {
 public:
  // Push left, do nothing, push right.
  static constexpr DiscreteActions kActionKind{.count = 3};
  static constexpr std::size_t kObservations = 2;
  static constexpr int kMaxSteps = 200;
  // Position and speed.
  using State = std::array<double, kObservations>;

  // Starts at rest at a random position in [-0.6, -0.4].
  void reset(Rng& rng);
  // Starts a new episode from `state`.
  void set_state(const State& state);

  // Moves for one step. The reward is -1.
  //
  // REQUIRES: !is_done(), and the action is 0, 1 or 2.
  double step(std::size_t action);

  // Whether the car has reached the top of the right hill.
  bool has_arrived() const;
  // Whether the car has arrived or the episode lasted 200 steps.
  bool is_done() const { return has_arrived() || steps_ >= kMaxSteps; }
  const State& state() const { return state_; }
  const State& observation() const { return state_; }
  int steps() const { return steps_; }

 private:
  State state_{-0.5, 0};
  int steps_ = 0;
};
static_assert(Environment<MountainCar>);

}  // namespace lamarck::environment
