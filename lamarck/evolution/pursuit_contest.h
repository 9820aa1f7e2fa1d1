// A pursuit on a ring as a contest between two networks, for coevolution.

#pragma once

#include <cstdint>

#include "lamarck/evolution/coevolution.h"

namespace lamarck::evolution {

// Each network reads a RingPursuit::View and outputs an acceleration.
struct PursuitContest {
  // The pursuer gets the score of RingPursuit, the evader 1 minus that.
  static ContestScores chase(const Network& pursuer, const Network& evader,
                             Rng& rng);

  // A linear network to start from.
  static Network beginner(std::uint64_t seed);
};

}  // namespace lamarck::evolution
