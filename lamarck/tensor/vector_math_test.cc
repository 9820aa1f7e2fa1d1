#include "lamarck/tensor/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

TEST(VectorMath, MatchesPlainLoopsForEveryLength) {
  for (std::size_t count = 1; count < 150; ++count) {
    const auto a = numbers(count, count);
    const auto b = numbers(count, count + 1000);
    EXPECT_NEAR(sum_of(a.data(), count),
                std::accumulate(a.begin(), a.end(), 0.0), 1e-4);
    EXPECT_NEAR(dot(a.data(), b.data(), count),
                std::inner_product(a.begin(), a.end(), b.begin(), 0.0), 1e-4);
    EXPECT_EQ(max_of(a.data(), count), std::ranges::max(a));
    EXPECT_EQ(min_of(a.data(), count), std::ranges::min(a));

    auto added = b;
    add_to(a.data(), added.data(), count);
    auto scaled = b;
    add_scaled_to(2.5f, a.data(), scaled.data(), count);
    auto largest = b;
    max_to(a.data(), largest.data(), count);
    auto smallest = b;
    min_to(a.data(), smallest.data(), count);
    std::vector<float> product(count);
    scale(-3, a.data(), product.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_FLOAT_EQ(added[i], b[i] + a[i]);
      ASSERT_NEAR(scaled[i], b[i] + 2.5f * a[i], 1e-6);
      ASSERT_EQ(largest[i], std::max(a[i], b[i]));
      ASSERT_EQ(smallest[i], std::min(a[i], b[i]));
      ASSERT_FLOAT_EQ(product[i], -3 * a[i]);
    }
  }
}

TEST(VectorMath, AddsRowsInOrder) {
  Rng rng(7);
  for (const std::size_t count : {1u, 3u, 16u, 127u, 128u, 129u, 300u}) {
    const std::size_t rows = 5;
    std::vector<float> x(rows * count);
    for (float& value : x) value = static_cast<float>(rng.normal());
    std::vector<float> expected(count, 0.5f);
    for (std::size_t i = 0; i < x.size(); ++i) expected[i % count] += x[i];
    std::vector<float> y(count, 0.5f);
    add_rows_to(x.data(), rows, y.data(), count);
    EXPECT_EQ(y, expected) << count;
  }
}

TEST(VectorMath, SumsLongArraysWithoutLosingSmallTerms) {
  // The sum of a plain float loop would stop growing at 2^24.
  const std::vector<float> ones(20'000'001, 1.0f);
  EXPECT_EQ(sum_of(ones.data(), ones.size()), 20'000'000.0f);
  const std::vector<float> tenths(1'000'000, 0.1f);
  EXPECT_NEAR(sum_of(tenths.data(), tenths.size()), 100'000.0f, 0.02);
}

TEST(VectorMath, ShiftedExponentialsSumUpAndUnderflowToZero) {
  for (const std::size_t count : {1u, 5u, 8u, 31u}) {
    auto x = numbers(count, 3);
    x[0] = -200;
    x.back() = 4;
    std::vector<float> y(count);
    const float total = exp_shifted(x.data(), 4, y.data(), count);
    double expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(y[i], std::exp(x[i] - 4), 1e-6);
      expected += std::exp(x[i] - 4.0);
    }
    EXPECT_NEAR(total, expected, 1e-5);
  }
}

}  // namespace
}  // namespace lamarck
