// Plays episodes from many start states in parallel with one network.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "lamarck/environment/pole_lanes.h"
#include "lamarck/neat/neat_network.h"

namespace lamarck::neat {

// Cart is CartPoleLanes or DoublePoleLanes.
template <class Cart>
class NeatEpisodes {
 public:
  using State = typename Cart::State;

  // An episode ends when it fails or after `max_steps` steps.
  NeatEpisodes(FlatNetwork& network, int max_steps)
      : network_(network), max_steps_(max_steps) {}

  // Plays an episode from each start, with the network's state at 0, and calls
  // ended(steps, failed) in the order in which episodes end. Stops as soon as
  // that returns false. A lane whose episode ended takes the next start.
  template <class Ended>
  void play(std::span<const State> starts, Ended&& ended) {
    waiting_ = starts;
    now_ = 0;
    network_.reset_lanes();
    for (std::size_t lane = 0; lane < kLanes; ++lane) begin(lane);
    while (playing_ > 0) {
      const std::size_t failed =
          cart_.step(network_.step_lanes(cart_.inputs()));
      ++now_;
      if (failed == 0 && now_ < next_end()) continue;
      if (!finish_episodes(ended)) return;
    }
  }

 private:
  static constexpr int kIdle = -1;

  void begin(std::size_t lane) {
    network_.reset_lane(lane);
    began_[lane] = waiting_.empty() ? kIdle : now_;
    cart_.set_state(lane, waiting_.empty() ? State{} : waiting_.front());
    if (!waiting_.empty()) waiting_ = waiting_.subspan(1);
    playing_ = kLanes - static_cast<std::size_t>(
                            std::count(began_.begin(), began_.end(), kIdle));
    next_end_ = 0;
  }

  // The earliest step at which an episode can reach max_steps_. Until then only
  // failures need to be checked, which keeps the loop fast.
  int next_end() {
    if (next_end_ > 0) return next_end_;
    int first = now_;
    for (const int began : began_) {
      if (began != kIdle) first = std::min(first, began);
    }
    next_end_ = first + max_steps_;
    return next_end_;
  }

  // Reports the episodes that ended and starts new ones in their lanes. Returns
  // false if `ended` does.
  template <class Ended>
  bool finish_episodes(Ended& ended) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool failed = cart_.has_failed(lane);
      if (began_[lane] == kIdle) {
        // Idle lanes keep moving; one that failed would be counted every step.
        if (failed) cart_.set_state(lane, {});
        continue;
      }
      const int steps = now_ - began_[lane];
      if (!failed && steps < max_steps_) continue;
      if (!ended(steps, failed)) return false;
      begin(lane);
    }
    return true;
  }

  FlatNetwork& network_;
  int max_steps_;
  Cart cart_;
  std::span<const State> waiting_;
  std::array<int, kLanes> began_{};  // First step of each lane, or kIdle.
  std::size_t playing_ = 0;          // Lanes that are not idle.
  int now_ = 0;
  int next_end_ = 0;  // 0 if it must be recomputed.
};

}  // namespace lamarck::neat
