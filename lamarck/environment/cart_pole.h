// A pole on a cart that must be kept upright by pushing left or right
// (Barto, Sutton and Anderson 1983), with Gymnasium's CartPole-v1 constants.

#pragma once

#include <array>
#include <cstddef>

#include "lamarck/base/rng.h"
#include "lamarck/environment/environment.h"

namespace lamarck::environment {

class CartPole {
 public:
  static constexpr std::size_t kActions = 2;  // Left, right.
  static constexpr DiscreteActions kActionKind{.count = kActions};
  static constexpr std::size_t kObservations = 4;
  static constexpr int kMaxSteps = 500;
  // Position, speed, angle, angular speed.
  using State = std::array<double, kObservations>;

  // Draws a state near upright and at rest, every value from [-0.05, 0.05].
  void reset(Rng& rng);
  // Starts a new episode from `state`.
  void set_state(const State& state);

  // Pushes the cart for 0.02 s. The reward is 1.
  //
  // REQUIRES: !is_done(), and the action is 0 or 1.
  double step(std::size_t action);

  // Whether the pole fell or the cart left the track.
  bool has_failed() const;
  // Whether the episode failed or lasted 500 steps.
  bool is_done() const { return has_failed() || steps_ >= kMaxSteps; }
  const State& state() const { return state_; }
  const State& observation() const { return state_; }
  int steps() const { return steps_; }

 private:
  State state_{};
  int steps_ = 0;
};
static_assert(Environment<CartPole>);

}  // namespace lamarck::environment
