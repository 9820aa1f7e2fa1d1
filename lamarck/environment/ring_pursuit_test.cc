#include "lamarck/environment/ring_pursuit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lamarck::environment {
namespace {

double score(double pursuer_sign, double evader_sign) {
  Rng rng(1);
  RingPursuit pursuit(rng);
  while (!pursuit.is_done()) {
    pursuit.step(pursuer_sign * double{pursuit.pursuer_view()[0]},
                 evader_sign * double{pursuit.evader_view()[0]});
  }
  return pursuit.pursuer_score();
}

TEST(RingPursuit, RewardsApproachingPursuerAndFleeingEvader) {
  EXPECT_GT(score(10, 0), score(0, 0) + 0.2);
  EXPECT_LT(score(10, -10), score(10, 0));
}

TEST(RingPursuit, BothRunnersObserveSameDistance) {
  Rng rng(2);
  const RingPursuit pursuit(rng);
  EXPECT_FLOAT_EQ(std::abs(pursuit.pursuer_view()[0]),
                  std::abs(pursuit.evader_view()[0]));
}

}  // namespace
}  // namespace lamarck::environment
