#include "lamarck/environment/mountain_car.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::environment {
namespace {

// The expected values were computed independently from the published equations.
TEST(MountainCar, MatchesGymnasium) {
  MountainCar car;
  car.set_state({-0.5, 0.01});
  for (const std::size_t action : {2, 2, 0, 1, 2}) car.step(action);
  EXPECT_NEAR(car.state()[0], -0.4472774742844961, 1e-12);
  EXPECT_NEAR(car.state()[1], 0.010310212638848818, 1e-12);
}

TEST(MountainCar, IsTooWeakToClimbDirectly) {
  MountainCar car;
  Rng rng(1);
  car.reset(rng);
  while (!car.is_done()) EXPECT_EQ(car.step(2), -1);
  EXPECT_FALSE(car.has_arrived());
  EXPECT_EQ(car.steps(), MountainCar::kMaxSteps);
  EXPECT_THROW(car.step(2), LogicError);
}

TEST(MountainCar, ArrivesWhenPushedInDirectionOfMotion) {
  MountainCar car;
  Rng rng(1);
  car.reset(rng);
  while (!car.is_done()) car.step(car.state()[1] >= 0 ? 2 : 0);
  EXPECT_TRUE(car.has_arrived());
}

TEST(MountainCar, StopsAtLeftWall) {
  MountainCar car;
  car.set_state({-1.19, -0.07});
  car.step(0);
  EXPECT_EQ(car.state(), (MountainCar::State{-1.2, 0}));
}

}  // namespace
}  // namespace lamarck::environment
