// Two runners on a ring: the pursuer is to catch the evader.
//
// Both choose how they accelerate. The pursuer is faster; the evader changes
// its speed more quickly, so whoever sees what the other is about to do wins.

#pragma once

#include <array>
#include <cstddef>

#include "lamarck/base/rng.h"

namespace lamarck::environment {

class RingPursuit {
 public:
  static constexpr std::size_t kInputs = 4;   // The size of a View.
  static constexpr std::size_t kOutputs = 1;  // An acceleration in [-1, 1].
  static constexpr int kMostSteps = 60;

  // The distance to the other the shorter way round (-1 .. 1, half the ring is
  // 1), the runner's own speed, the other's speed, and a 1.
  using View = std::array<float, kInputs>;

  // Draws where the evader starts.
  explicit RingPursuit(Rng& rng);

  View pursuer_view() const;
  View evader_view() const;

  // Clamps accelerations to [-1, 1]. REQUIRES: not is_done().
  void step(double pursuer_push, double evader_push);
  bool is_done() const;

  // The pursuer gets the share of the time that it saves by catching the
  // evader, and the closeness at the end counts a little: from 0 to 1. The
  // evader gets the rest.
  double pursuer_score() const;

 private:
  struct Runner {
    double most_speed;
    double most_push;  // Change of speed in a step.
    double place = 0;
    double speed = 0;

    void move(double push);
  };

  static double way(const Runner& from, const Runner& to);
  static View view(const Runner& self, const Runner& other);

  Runner pursuer_{.most_speed = 0.1, .most_push = 0.01};
  Runner evader_{.most_speed = 0.08, .most_push = 0.03};
  int steps_ = 0;
};

}  // namespace lamarck::environment
