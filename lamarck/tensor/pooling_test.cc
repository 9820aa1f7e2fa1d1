#include "lamarck/tensor/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

using Floats = std::vector<float>;

// A 4 x 6 image.
const Floats kImage = {1, 5, 2, 2, 0, 3,  //
                       4, 0, 2, 2, 9, 1,  //
                       7, 7, 1, 0, 5, 6,  //
                       7, 7, 0, 8, 6, 2};

TEST(Pooling, MaxPicksFirstOfEqualElements) {
  const Pooling pooling{1, {4, 2, 2}, {6, 2, 2}};
  Floats y(6);
  Floats where(6);
  max_pool(pooling, kImage.data(), y.data(), where.data());
  EXPECT_EQ(y, (Floats{5, 2, 9, 7, 8, 6}));
  EXPECT_EQ(where, (Floats{1, 0, 2, 0, 3, 1}));

  Floats dx(24, 1.0f);
  const Floats dy = {10, 20, 30, 40, 50, 60};
  max_pool_gradient(pooling, where.data(), dy.data(), dx.data(), false);
  EXPECT_EQ(dx, (Floats{0,  10, 20, 0,  0,  0,   //
                        0,  0,  0,  0,  30, 0,   //
                        40, 0,  0,  0,  0,  60,  //
                        0,  0,  0,  50, 0,  0}));
}

TEST(Pooling, AverageCountsPaddingAsZeros) {
  const Pooling pooling{1, {2, 2, 2, 1}, {2, 2, 2, 1}};
  const Floats x = {1, 2, 3, 4};
  Floats y(4);
  average_pool(pooling, x.data(), y.data());
  EXPECT_EQ(y, (Floats{0.25f, 0.5f, 0.75f, 1}));

  Floats dx(4, 1.0f);
  const Floats dy = {4, 8, 12, 16};
  average_pool_gradient(pooling, dy.data(), dx.data(), true);
  EXPECT_EQ(dx, (Floats{2, 3, 4, 5}));
}

void expect_pair_kernel_matches_reference() {
  for (const std::int64_t width : {8, 10, 12, 14, 16, 18, 28, 30, 32, 34, 66}) {
    Rng rng(static_cast<std::uint64_t>(width));
    const Pooling pooling{3, {4, 2, 2}, {width, 2, 2}};
    Floats x(static_cast<std::size_t>(3 * 4 * width));
    for (float& value : x) value = static_cast<float>(rng.integer(0, 5));
    x[5] = std::numeric_limits<float>::quiet_NaN();
    Floats y(x.size() / 4);
    Floats where(y.size());
    max_pool(pooling, x.data(), y.data(), where.data());
    Floats dx(x.size(), 9.0f);
    max_pool_gradient(pooling, where.data(), y.data(), dx.data(), false);
    std::size_t window = 0;
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(width) / 2; ++j) {
        const std::size_t at =
            row * 2 * static_cast<std::size_t>(width) + 2 * j;
        const std::size_t places[4] = {
            at, at + 1, at + static_cast<std::size_t>(width),
            at + static_cast<std::size_t>(width) + 1};
        std::size_t best = 0;
        for (std::size_t k = 1; k < 4; ++k) {
          if (x[places[k]] > x[places[best]] || std::isnan(x[places[k]])) {
            best = k;
          }
        }
        ASSERT_EQ(where[window], static_cast<float>(best)) << width;
        for (std::size_t k = 0; k < 4; ++k) {
          if (std::isnan(y[window])) continue;
          ASSERT_EQ(dx[places[k]], k == best ? y[window] : 0.0f) << width;
        }
        ++window;
      }
    }
  }
}

TEST(Pooling, PairKernelMatchesReferenceOnEveryInstructionSet) {
  for (const std::string& target : supported_simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(choose_simd_target(target).has_value());
    expect_pair_kernel_matches_reference();
  }
  ASSERT_TRUE(choose_simd_target("auto").has_value());
}

TEST(Pooling, OverlappingWindowsAccumulateGradients) {
  const Pooling pooling{1, {3, 3, 1, 1}, {3, 3, 1, 1}};
  const Floats x = {0, 0, 0, 0, 9, 0, 0, 0, 0};
  Floats y(9);
  Floats where(9);
  max_pool(pooling, x.data(), y.data(), where.data());
  EXPECT_EQ(y, Floats(9, 9.0f));
  Floats dx(9);
  max_pool_gradient(pooling, where.data(), y.data(), dx.data(), true);
  EXPECT_EQ(dx, (Floats{0, 0, 0, 0, 81, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace lamarck
