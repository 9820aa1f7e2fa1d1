#include "lamarck/environment/pendulum.h"

#include <cmath>
#include <numbers>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::environment {
namespace {

// The expected values were computed independently from the published equations.
TEST(Pendulum, MatchesGymnasium) {
  Pendulum pendulum;
  pendulum.set_state({3.0, 0.5});
  double reward = 0;
  for (const double torque : {2.0, -3.0, 0.5, 1.0, -1.0}) {
    reward += pendulum.step(torque);
  }
  EXPECT_NEAR(pendulum.state()[0], 3.207358146887916, 1e-12);
  EXPECT_NEAR(pendulum.state()[1], 0.7971064003060814, 1e-12);
  EXPECT_NEAR(reward, -47.51259092996484, 1e-12);
}

TEST(Pendulum, RewardIsHighestWhenUprightAndStill) {
  Pendulum pendulum;
  EXPECT_EQ(pendulum.step(0), 0);
  pendulum.set_state({std::numbers::pi, 0});
  EXPECT_NEAR(pendulum.step(0), -std::pow(std::numbers::pi, 2), 1e-12);
}

TEST(Pendulum, LimitsAngularSpeedToEight) {
  Pendulum pendulum;
  pendulum.set_state({1.5, 8});
  pendulum.step(2);
  EXPECT_EQ(pendulum.state()[1], 8);
}

TEST(Pendulum, ObservesAngleAsCosineAndSine) {
  Pendulum pendulum;
  pendulum.set_state({std::numbers::pi / 2, -3});
  EXPECT_NEAR(pendulum.observation()[0], 0, 1e-12);
  EXPECT_NEAR(pendulum.observation()[1], 1, 1e-12);
  EXPECT_EQ(pendulum.observation()[2], -3);
}

TEST(Pendulum, EndsAfterTwoHundredSteps) {
  Pendulum pendulum;
  while (!pendulum.is_done()) pendulum.step(1);
  EXPECT_EQ(pendulum.steps(), 200);
  EXPECT_THROW(pendulum.step(1), LogicError);
}

}  // namespace
}  // namespace lamarck::environment
