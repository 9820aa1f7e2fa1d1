#include "lamarck/formula/block_sums.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

constexpr std::size_t kSizes = 70;

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(size);
  for (double& value : values) value = rng.normal();
  return values;
}

std::vector<float> random_floats(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

TEST(BlockSums, MatchPlainLoops) {
  for (std::size_t size = 0; size <= kSizes; ++size) {
    const auto a = random_vector(size, 1);
    const auto b = random_vector(size, 2);
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) {
      products += a[i] * b[i];
      squares += (a[i] - 0.3) * (a[i] - 0.3);
    }
    EXPECT_NEAR(dot(a.data(), b.data(), size), products, 1e-12) << size;
    EXPECT_NEAR(squared_distance(a.data(), 0.3, size), squares, 1e-12) << size;
  }
}

TEST(BlockSums, WriteEveryElementAndNoneBeyond) {
  for (std::size_t size = 0; size <= kSizes; ++size) {
    const auto a = random_vector(size, 1);
    const auto b = random_vector(size, 2);
    std::vector<double> sum(size + 8, 7.0);
    std::vector<double> product(size + 8, 7.0);
    std::vector<double> scaled(size + 8, 7.0);
    add_scaled(a.data(), 0.5, sum.data(), size);
    multiply(a.data(), b.data(), product.data(), size);
    scale(a.data(), -3, scaled.data(), size);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const bool is_in = i < size;
      EXPECT_NEAR(sum[i], is_in ? 7 + 0.5 * a[i] : 7, 1e-14) << size;
      EXPECT_EQ(product[i], is_in ? a[i] * b[i] : 7) << size;
      EXPECT_EQ(scaled[i], is_in ? -3 * a[i] : 7) << size;
    }
  }
}

TEST(BlockSums, MultiplyInPlace) {
  for (std::size_t size = 0; size <= kSizes; ++size) {
    const auto a = random_vector(size, 1);
    const auto b = random_vector(size, 2);
    auto left = a;
    auto right = b;
    auto scaled = a;
    multiply(left.data(), b.data(), left.data(), size);
    multiply(a.data(), right.data(), right.data(), size);
    scale(scaled.data(), 2, scaled.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(left[i], a[i] * b[i]) << size;
      EXPECT_EQ(right[i], a[i] * b[i]) << size;
      EXPECT_EQ(scaled[i], 2 * a[i]) << size;
    }
  }
}

// Checks every product, and that nothing is written beyond them.
void check_dot_all(std::size_t count, std::size_t vectors, std::size_t size) {
  const auto rows = random_floats(count * size, 3);
  const auto others = random_floats(vectors * size, 4);
  std::vector<float> products(count * vectors + 4, 7.0F);
  dot_all(rows.data(), count, others.data(), vectors, size, products.data());
  for (std::size_t i = 0; i < count * vectors; ++i) {
    const float* row = rows.data() + i / vectors * size;
    const float* other = others.data() + i % vectors * size;
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += double{row[k]} * other[k];
    ASSERT_NEAR(products[i], sum, 1e-4)
        << count << " x " << vectors << " of " << size;
  }
  for (std::size_t i = count * vectors; i < products.size(); ++i) {
    ASSERT_EQ(products[i], 7.0F);
  }
}

TEST(BlockSums, MultiplySmallMatrices) {
  for (std::size_t size = 0; size <= kSizes; ++size) {
    for (std::size_t count = 0; count <= 5; ++count) {
      for (std::size_t vectors = 0; vectors <= 6; ++vectors) {
        check_dot_all(count, vectors, size);
      }
    }
  }
}

TEST(BlockSums, DetectNonFiniteElementAtEveryIndex) {
  EXPECT_TRUE(all_finite(nullptr, 0));
  for (std::size_t size = 1; size <= kSizes; ++size) {
    const auto a = random_vector(size, 1);
    auto large = a;
    large[size / 2] = std::numeric_limits<double>::max();
    EXPECT_TRUE(all_finite(large.data(), size)) << size;
    for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      for (std::size_t i = 0; i < size; ++i) {
        auto broken = a;
        broken[i] = bad;
        EXPECT_FALSE(all_finite(broken.data(), size)) << i << " of " << size;
        EXPECT_FALSE(std::isfinite(largest_magnitude(broken.data(), size)));
        EXPECT_FALSE(std::isfinite(dot(broken.data(), a.data(), size)));
        EXPECT_FALSE(std::isfinite(squared_distance(broken.data(), 1, size)));
      }
    }
  }
}

TEST(BlockSums, FindLargestMagnitudeAtEveryIndex) {
  EXPECT_EQ(largest_magnitude(nullptr, 0), 0);
  for (std::size_t size = 1; size <= kSizes; ++size) {
    for (std::size_t i = 0; i < size; ++i) {
      auto a = random_vector(size, 1);
      a[i] = i % 2 == 0 ? -100 : 100;
      EXPECT_EQ(largest_magnitude(a.data(), size), 100) << i << " of " << size;
    }
  }
}

}  // namespace
}  // namespace lamarck::formula
