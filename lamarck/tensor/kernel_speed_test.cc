#include "lamarck/tensor/kernel_speed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lamarck {
namespace {

TEST(KernelSpeed, MeasuresProductsAndConvolution) {
  const auto speeds = measure_kernels();
  const auto is_measured = [&](const char* name) {
    return std::ranges::any_of(speeds, [&](const KernelSpeed& speed) {
      return speed.name == name && speed.flops > 0;
    });
  };
  EXPECT_TRUE(is_measured("product 256x256x256"));
  EXPECT_TRUE(is_measured("product 64x784x128"));
  EXPECT_TRUE(is_measured("convolution 64x32x32, 3x3"));
  EXPECT_GT(peak_flops(), 0);
}

TEST(KernelSpeed, BestRateIsMaximumOfAllTries) {
  int calls = 0;
  const double rate = best_rate(3, [&] { return calls++ == 1 ? 1e30 : 1.0; });
  EXPECT_EQ(calls, 3);
  EXPECT_GT(rate, 1e25);
}

}  // namespace
}  // namespace lamarck
