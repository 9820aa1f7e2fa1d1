// Many carts with poles side by side, vectorised. Each moves as CartPole or
// DoublePole would, to the last bit.

#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/environment/double_pole.h"
#include "lamarck/environment/lane_count.h"

namespace lamarck::environment {

// What a network sees of CartPole's state is brought to the order of 1.
inline constexpr CartPole::State kCartPoleScale = {1 / 2.4, 1 / 2.0, 1 / 0.2,
                                                   1 / 2.0};
// Likewise of DoublePole's.
inline constexpr DoublePole::State kDoublePoleScale = {
    1 / 4.8, 1 / 2.0, 1 / 0.52, 1 / 2.0, 1 / 0.52, 1 / 2.0};

class CartPoleLanes {
 public:
  using State = CartPole::State;
  static constexpr std::size_t kInputs = 4;

  void set_state(std::size_t lane, const State& state);
  State state(std::size_t lane) const;
  bool has_failed(std::size_t lane) const;

  // What a network sees: kLanes numbers for each input.
  std::span<const double> inputs() const { return inputs_; }
  // Pushes every cart, to the right where the output is above 0.5, and returns
  // how many have failed. REQUIRES: kLanes outputs.
  std::size_t step(std::span<const double> outputs);

 private:
  alignas(64) std::array<double, 4 * kLanes> state_{};
  alignas(64) std::array<double, kInputs * kLanes> inputs_{};
};

// Sees positions and angles, but no speeds.
class DoublePoleLanes {
 public:
  using State = DoublePole::State;
  static constexpr std::size_t kInputs = 3;

  void set_state(std::size_t lane, const State& state);
  State state(std::size_t lane) const;
  bool has_failed(std::size_t lane) const;

  std::span<const double> inputs() const { return inputs_; }
  // Likewise; the force is 20 (output - 0.5) N.
  std::size_t step(std::span<const double> outputs);

 private:
  alignas(64) std::array<double, 6 * kLanes> state_{};
  alignas(64) std::array<double, kInputs * kLanes> inputs_{};
};

}  // namespace lamarck::environment
