// A pursuit on a ring as a contest of two networks, for co-evolution.

#pragma once

#include <cstdint>

#include "lamarck/evolution/coevolution.h"

namespace lamarck::evolution {

// Each network reads a RingPursuit::View and gives an acceleration.
struct PursuitContest {
  // The pursuer's score of RingPursuit, and the rest for the evader.
  static ContestScores chase(const Network& pursuer, const Network& evader,
                             Rng& rng);

  // A linear network to start from.
  static Network beginner(std::uint64_t seed);
};

}  // namespace lamarck::evolution
