#include "lamarck/environment/cart_pole.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::environment {
namespace {

// The expected values were computed independently from the published equations.
TEST(CartPole, MatchesGymnasium) {
  CartPole pole;
  pole.set_state({0.01, -0.02, 0.03, 0.04});
  for (const std::size_t action : {1, 0, 1, 1, 0}) pole.step(action);
  EXPECT_NEAR(pole.state()[0], 0.023525558663475683, 1e-12);
  EXPECT_NEAR(pole.state()[1], 0.17316263692575581, 1e-12);
  EXPECT_NEAR(pole.state()[2], 0.012433087822150324, 1e-12);
  EXPECT_NEAR(pole.state()[3], -0.20950152868114708, 1e-12);
}

TEST(CartPole, FallsWhenPushedOneWayOnly) {
  CartPole pole;
  Rng rng(1);
  pole.reset(rng);
  while (!pole.is_done()) pole.step(1);
  EXPECT_TRUE(pole.has_failed());
  EXPECT_LT(pole.steps(), 20);
  EXPECT_THROW(pole.step(1), LogicError);
}

TEST(CartPole, EndsAfterFiveHundredSteps) {
  CartPole pole;
  Rng rng(1);
  pole.reset(rng);
  // A linear controller that keeps the pole upright.
  while (!pole.is_done()) {
    const auto& [x, speed, angle, turn] = pole.state();
    pole.step(angle + 0.2 * turn + 0.01 * x + 0.02 * speed > 0 ? 1 : 0);
  }
  EXPECT_EQ(pole.steps(), CartPole::kMaxSteps);
  EXPECT_FALSE(pole.has_failed());
}

}  // namespace
}  // namespace lamarck::environment
