#include "lamarck/graph/init.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lamarck {
namespace {

// The mean square of the values that an initializer generates.
double variance(const Init& init, const Shape& shape) {
  Rng rng(1);
  const Tensor value = init.generate(shape, rng);
  return mean(value * value).item();
}

TEST(Init, VarianceMatchesDefinition) {
  EXPECT_NEAR(variance(Init::kaiming(), {200, 300}), 2.0 / 200, 3e-4);
  EXPECT_NEAR(variance(Init::xavier(), {200, 300}), 2.0 / 500, 2e-4);
  EXPECT_NEAR(variance(Init::kaiming(), {16, 8, 5, 5}), 2.0 / 200, 1e-3);
  EXPECT_NEAR(variance(Init::uniform(-1, 1), {300, 300}), 1.0 / 3, 1e-2);
  EXPECT_NEAR(variance(Init::normal(0, 2), {300, 300}), 4, 0.1);
}

TEST(Init, ConstantsFillTheTensor) {
  Rng rng(1);
  for (const float value :
       Init::constant(0.5f).generate({4}, rng).to_vector()) {
    EXPECT_EQ(value, 0.5f);
  }
  EXPECT_EQ(Init::ones().generate({}, rng).item(), 1);
  EXPECT_EQ(Init::zeros().generate({0, 3}, rng).element_count(), 0);
}

TEST(Init, UniformStaysInItsRange) {
  Rng rng(2);
  const auto values = Init::uniform(2, 3).generate({1000}, rng).to_vector();
  EXPECT_GE(std::ranges::min(values), 2);
  EXPECT_LT(std::ranges::max(values), 3.0001f);
}

}  // namespace
}  // namespace lamarck
