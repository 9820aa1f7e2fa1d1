#include "lamarck/tensor/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lamarck {
namespace {

using Floats = std::vector<float>;

Floats make_mask(std::uint64_t key, float probability, std::size_t count) {
  const Floats ones(count, 1.0f);
  Floats y(count);
  drop_out({.key = key, .probability = probability}, ones.data(), y.data(),
           count);
  return y;
}

TEST(Dropout, DropsExpectedFractionAndKeepsMean) {
  for (const float probability : {0.1f, 0.5f, 0.9f}) {
    for (std::uint64_t key = 1; key <= 5; ++key) {
      const Floats mask = make_mask(key << 30, probability, 100'003);
      double sum = 0;
      double neighbours = 0;
      for (std::size_t i = 0; i < mask.size(); ++i) {
        EXPECT_TRUE(mask[i] == 0 ||
                    std::abs(mask[i] * (1 - probability) - 1) < 1e-6f);
        sum += mask[i];
        if (i > 0) neighbours += mask[i] * mask[i - 1];
      }
      const double count = static_cast<double>(mask.size());
      const double odds = probability / (1 - probability);
      EXPECT_NEAR(sum / count, 1, 5 * std::sqrt(odds / count));
      // Neighbors are independent, so the mean of their product is also 1.
      EXPECT_NEAR(neighbours / count, 1, 30 * (odds + 1) / std::sqrt(count));
    }
  }
}

TEST(Dropout, DependsOnlyOnKeyAndPosition) {
  const Floats mask = make_mask(7, 0.5f, 1000);
  EXPECT_EQ(mask, make_mask(7, 0.5f, 1000));
  EXPECT_NE(mask, make_mask(8, 0.5f, 1000));
  EXPECT_NE(mask, make_mask(7 + (std::uint64_t{1} << 32), 0.5f, 1000));
  for (const std::size_t count : {1u, 3u, 9u, 31u}) {
    EXPECT_EQ(make_mask(7, 0.5f, count),
              Floats(mask.begin(), mask.begin() + std::ptrdiff_t(count)));
  }
}

TEST(Dropout, KeepsAllAtZeroAndNothingAtOne) {
  EXPECT_EQ(make_mask(1, 0, 100), Floats(100, 1.0f));
  EXPECT_EQ(make_mask(1, 1, 100), Floats(100, 0.0f));
}

TEST(Dropout, AccumulatesIntoOutput) {
  const Floats x(19, 2.0f);
  Floats y(19, 10.0f);
  drop_out({.key = 3, .probability = 0.5f, .accumulate = true}, x.data(),
           y.data(), x.size());
  const Floats mask = make_mask(3, 0.5f, 19);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 10 + 2 * mask[i]);
}

}  // namespace
}  // namespace lamarck
