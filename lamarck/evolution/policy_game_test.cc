#include "lamarck/evolution/policy_game.h"

#include <gtest/gtest.h>

namespace lamarck::evolution {
namespace {

TEST(PolicyGame, RepeatsEpisodeFromSeed) {
  const PolicyGame game = policy_game<environment::MountainCar>();
  Network network = minimal_network(2, 3, 5);
  network.set_head(Loss::CrossEntropy);
  NetworkStepper stepper(network);
  Rng first(7);
  Rng second(7);
  const Episode a = game.play(stepper, 0.99, 0, first);
  const Episode b = game.play(stepper, 0.99, 0, second);

  EXPECT_EQ(a.choices, b.choices);
  EXPECT_EQ(a.rewards, b.rewards);
  EXPECT_EQ(a.observations.size(), 2 * a.steps());
  EXPECT_EQ(a.outputs.size(), 3 * a.steps());
}

TEST(PolicyGame, ReturnsExcludePotential) {
  const PolicyGame game = policy_game<environment::MountainCar>();
  Network network = minimal_network(2, 3, 5);
  network.set_head(Loss::CrossEntropy);
  for (float& value : network.parameters().values) value = 0;
  NetworkStepper stepper(network);
  Rng rng(1);
  // With all weights 0 it always drives left and never arrives.
  EXPECT_EQ(game.best_return(stepper, rng), -200);
  EXPECT_EQ(game.score(-200), 0);
}

}  // namespace
}  // namespace lamarck::evolution
