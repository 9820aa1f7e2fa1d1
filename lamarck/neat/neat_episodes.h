// Plays episodes from many starts side by side, with one network.

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

  // An episode ends after so many steps, if it does not fail before.
  NeatEpisodes(FlatNetwork& network, int most_steps)
      : network_(network), most_steps_(most_steps) {}

  // Plays from each start with the network at 0, and calls ended(steps, failed)
  // in the order in which episodes end; no more is played once that returns
  // false. A lane whose episode ended takes the next start.
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
      if (!look(ended)) return;
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

  // Not before the first step at which an episode may end by its length.
  int next_end() {
    if (next_end_ > 0) return next_end_;
    int first = now_;
    for (const int began : began_) {
      if (began != kIdle) first = std::min(first, began);
    }
    next_end_ = first + most_steps_;
    return next_end_;
  }

  template <class Ended>
  bool look(Ended& ended) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool failed = cart_.has_failed(lane);
      if (began_[lane] == kIdle) {
        if (failed) cart_.set_state(lane, {});
        continue;
      }
      const int steps = now_ - began_[lane];
      if (!failed && steps < most_steps_) continue;
      if (!ended(steps, failed)) return false;
      begin(lane);
    }
    return true;
  }

  FlatNetwork& network_;
  int most_steps_;
  Cart cart_;
  std::span<const State> waiting_;
  std::array<int, kLanes> began_{};  // kIdle if nothing is played there.
  std::size_t playing_ = 0;
  int now_ = 0;
  int next_end_ = 0;  // 0 if it must be found anew.
};

}  // namespace lamarck::neat
