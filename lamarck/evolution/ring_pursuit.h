// Two on a ring: one is to catch the other.
//
// Both choose how they accelerate. The pursuer is faster; the evader changes
// its speed more quickly, so whoever sees what the other is about to do wins.

#pragma once

#include "lamarck/evolution/coevolution.h"

namespace lamarck::evolution {

struct RingPursuit {
  static constexpr std::size_t kInputs = 4;   // See below.
  static constexpr std::size_t kOutputs = 1;  // An acceleration in [-1, 1].
  static constexpr int kMostSteps = 60;

  // Each reads how far the other is the shorter way round (-1 .. 1, half the
  // ring is 1), its own speed, the other's speed, and a 1. The pursuer gets the
  // share of the time that it saves by catching the evader, and the closeness
  // in the end counts a little: from 0 to 1; the evader gets the rest.
  static ContestScores chase(const Network& pursuer, const Network& evader,
                             Rng& rng);

  // Linear, to begin with.
  static Network beginner(std::uint64_t seed);
};

}  // namespace lamarck::evolution
