#include "lamarck/evolution/energy_distance.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::evolution {
namespace {

TEST(EnergyDistance, IsNearZeroForSamplesOfOneDistribution) {
  Rng rng(1);
  const Tensor a = Tensor::randn({400, 2}, rng);
  const Tensor b = Tensor::randn({400, 2}, rng);
  EXPECT_LT(energy_distance(a, b), 0.005);
}

TEST(EnergyDistance, GrowsWithDistanceOfSamples) {
  Rng rng(1);
  const Tensor a = Tensor::randn({200, 2}, rng);
  double before = energy_distance(a, a);
  for (const float way : {0.5f, 1.0f, 2.0f, 20.0f}) {
    const double now = energy_distance(a, a + Tensor::scalar(way));
    EXPECT_GT(now, before) << way;
    before = now;
  }
  EXPECT_GT(before, 0.9);
  EXPECT_LE(before, 1);
}

TEST(EnergyDistance, IsOneForTwoDistinctPoints) {
  EXPECT_EQ(energy_distance(Tensor::zeros({3, 1}), Tensor::ones({2, 1})), 1);
  EXPECT_EQ(energy_distance(Tensor::zeros({3, 1}), Tensor::zeros({2, 1})), 0);
  EXPECT_EQ(similarity(Tensor::zeros({3, 1}), Tensor::ones({2, 1})), 0);
}

TEST(EnergyDistance, RejectsIncompatibleShapes) {
  EXPECT_THROW(energy_distance(Tensor::zeros({3, 1}), Tensor::ones({2, 2})),
               LogicError);
  EXPECT_THROW(energy_distance(Tensor::zeros({1, 1}), Tensor::ones({2, 1})),
               LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
