// Many carts with poles in parallel, vectorized. Each one moves bitwise like
// CartPole or DoublePole.

#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/environment/double_pole.h"
#include "lamarck/environment/lane_count.h"

namespace lamarck::environment {

// Factors that scale CartPole's state to the order of 1 for a network.
inline constexpr CartPole::State kCartPoleScale = {1 / 2.4, 1 / 2.0, 1 / 0.2,
                                                   1 / 2.0};
// Factors for DoublePole's state.
inline constexpr DoublePole::State kDoublePoleScale = {
    1 / 4.8, 1 / 2.0, 1 / 0.52, 1 / 2.0, 1 / 0.52, 1 / 2.0};

class CartPoleLanes {
 public:
  using State = CartPole::State;
  static constexpr std::size_t kInputs = 4;

  void set_state(std::size_t lane, const State& state);
  State state(std::size_t lane) const;
  bool has_failed(std::size_t lane) const;

  // The scaled state, with kLanes numbers for each input of a network.
  std::span<const double> inputs() const { return inputs_; }
  // Pushes every cart, to the right if its output is above 0.5 and otherwise to
  // the left. Returns the number of carts that have failed.
  //
  // REQUIRES: kLanes outputs.
  std::size_t step(std::span<const double> outputs);

 private:
  alignas(64) std::array<double, 4 * kLanes> state_{};
  alignas(64) std::array<double, kInputs * kLanes> inputs_{};
};

// The inputs are the position and the two angles, without speeds.
class DoublePoleLanes {
 public:
  using State = DoublePole::State;
  static constexpr std::size_t kInputs = 3;

  void set_state(std::size_t lane, const State& state);
  State state(std::size_t lane) const;
  bool has_failed(std::size_t lane) const;

  std::span<const double> inputs() const { return inputs_; }
  // Pushes every cart with 20 (output - 0.5) N. Returns the number of carts
  // that have failed.
  //
  // REQUIRES: kLanes outputs.
  std::size_t step(std::span<const double> outputs);

 private:
  alignas(64) std::array<double, 6 * kLanes> state_{};
  alignas(64) std::array<double, kInputs * kLanes> inputs_{};
};

}  // namespace lamarck::environment
