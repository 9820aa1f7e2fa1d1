// A car in a valley whose engine is too weak to climb out: it must swing back
// and forth (Moore 1990), with Gymnasium's MountainCar-v0 constants.

#pragma once

#include <array>

#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class MountainCar {
 public:
  static constexpr DiscreteActions kActionKind{.count =
                                                   3};  // Left, none, right.
  static constexpr std::size_t kObservations = 2;
  static constexpr int kMostSteps = 200;
  // Position and speed.
  using State = std::array<double, kObservations>;

  // At rest, somewhere in [-0.6, -0.4].
  void reset(Rng& rng);
  void set_state(const State& state);

  // The reward is -1. REQUIRES: not is_done(), action is 0, 1 or 2.
  double step(std::size_t action);

  // The car is on the hill to the right.
  bool has_arrived() const;
  // It arrived, or 200 steps are over.
  bool is_done() const { return has_arrived() || steps_ >= kMostSteps; }
  const State& state() const { return state_; }
  const State& observation() const { return state_; }
  int steps() const { return steps_; }

 private:
  State state_{-0.5, 0};
  int steps_ = 0;
};
static_assert(Environment<MountainCar>);

}  // namespace lamarck::environment
