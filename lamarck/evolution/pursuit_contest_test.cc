#include "lamarck/evolution/pursuit_contest.h"

#include <gtest/gtest.h>

namespace lamarck::evolution {
namespace {

// A network that accelerates towards the other (positive), away from it
// (negative), or not at all (0).
Network pushing(float towards_other) {
  Network network = PursuitContest::beginner(0);
  for (float& value : network.parameters().values) value = 0;
  network.weights(network.edges()[0])[0] = towards_other;
  return network;
}

double mean_pursuit(const Network& pursuer, const Network& evader) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed);
    const ContestScores scores = PursuitContest::chase(pursuer, evader, rng);
    EXPECT_DOUBLE_EQ(scores.first + scores.second, 1) << seed;
    EXPECT_GE(scores.first, 0) << seed;
    EXPECT_LE(scores.first, 1) << seed;
    sum += scores.first / 10;
  }
  return sum;
}

TEST(PursuitContest, RewardsChasingAndFleeing) {
  const double standing = mean_pursuit(pushing(0), pushing(0));
  const double chasing = mean_pursuit(pushing(10), pushing(0));
  const double fleeing = mean_pursuit(pushing(10), pushing(-10));

  EXPECT_GT(chasing, standing + 0.2);
  EXPECT_LT(fleeing, chasing);
}

}  // namespace
}  // namespace lamarck::evolution
