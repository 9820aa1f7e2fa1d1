#include "lamarck/environment/environment.h"

#include <cmath>
#include <gtest/gtest.h>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/environment/double_pole.h"
#include "lamarck/environment/mountain_car.h"
#include "lamarck/environment/pendulum.h"

namespace lamarck::environment {
namespace {

template <Environment E>
auto random_action(Rng& rng) {
  if constexpr (kIsDiscrete<E>) {
    return static_cast<std::size_t>(rng.below(E::kActionKind.count));
  } else {
    return rng.uniform(-E::kActionKind.bound, E::kActionKind.bound);
  }
}

// Plays an episode of random actions and returns the sum of its rewards.
template <Environment E>
double play(std::uint64_t seed) {
  Rng rng(seed);
  E environment;
  environment.reset(rng);
  double reward = 0;
  while (!environment.is_done()) {
    reward += environment.step(random_action<E>(rng));
    const auto seen = environment.observation();
    EXPECT_EQ(seen.size(), E::kObservations);
    for (const double value : seen) EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_GT(environment.steps(), 0);
  EXPECT_LE(environment.steps(), E::kMaxSteps);
  return reward;
}

template <class E>
class EveryEnvironment : public testing::Test {};
using All = testing::Types<CartPole, DoublePole, MountainCar, Pendulum>;
TYPED_TEST_SUITE(EveryEnvironment, All);

TYPED_TEST(EveryEnvironment, EndsEveryEpisode) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) play<TypeParam>(seed);
}

TYPED_TEST(EveryEnvironment, DependsOnlyOnSeed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(play<TypeParam>(seed), play<TypeParam>(seed)) << seed;
  }
}

}  // namespace
}  // namespace lamarck::environment
