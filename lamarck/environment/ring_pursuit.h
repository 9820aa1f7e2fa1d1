// Two runners on a ring: the pursuer tries to catch the evader.
//
// Both choose their acceleration. The pursuer has a higher maximum speed, the
// evader a higher maximum acceleration, so both must anticipate the other.

#pragma once

#include <array>
#include <cstddef>

#include "lamarck/base/rng.h"

namespace lamarck::environment {

class RingPursuit {
 public:
  static constexpr std::size_t kInputs = 4;   // The size of a View.
  static constexpr std::size_t kOutputs = 1;  // An acceleration in [-1, 1].
  static constexpr int kMaxSteps = 60;

  // The signed distance to the other runner along the shorter way (half the
  // ring is 1), the own speed, the speed of the other, and the constant 1.
  using View = std::array<float, kInputs>;

  // Draws the evader's starting position.
  explicit RingPursuit(Rng& rng);

  View pursuer_view() const;
  View evader_view() const;

  // Clamps accelerations to [-1, 1]. REQUIRES: !is_done().
  void step(double pursuer_push, double evader_push);
  bool is_done() const;

  // The score of the pursuer from 0 to 1: mainly the share of the time that is
  // left when it catches the evader, and to a small part the closeness at the
  // end. The score of the evader is 1 minus this.
  double pursuer_score() const;

 private:
  struct Runner {
    double max_speed;
    double max_push;  // Change of speed in a step.
    double place = 0;
    double speed = 0;

    void move(double push);
  };

  static double distance(const Runner& from, const Runner& to);
  static View view(const Runner& self, const Runner& other);

  Runner pursuer_{.max_speed = 0.1, .max_push = 0.01};
  Runner evader_{.max_speed = 0.08, .max_push = 0.03};
  int steps_ = 0;
};

}  // namespace lamarck::environment
