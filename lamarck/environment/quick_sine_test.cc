#include "lamarck/environment/quick_sine.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lamarck::environment {
namespace {

void expect_near_standard_library(double largest, double tolerance) {
  for (int i = -1000; i <= 1000; ++i) {
    const double x = largest * i / 1000;
    const auto [sine, cosine] = quick_sine_cosine(x);
    ASSERT_NEAR(sine, std::sin(x), tolerance) << x;
    ASSERT_NEAR(cosine, std::cos(x), tolerance) << x;
  }
}

TEST(QuickSine, IsAccurateToRoundingUpToOneRadian) {
  expect_near_standard_library(1.0, 3e-16);
}

TEST(QuickSine, IsCloseUpToRightAngle) {
  expect_near_standard_library(1.5708, 1e-12);
}

}  // namespace
}  // namespace lamarck::environment
