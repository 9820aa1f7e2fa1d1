#include "lamarck/base/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

constexpr auto kSquareRoot = [](double square) { return std::sqrt(square); };

TEST(Cholesky, SolvesRandomSystems) {
  for (std::size_t n = 1; n <= 12; ++n) {
    Rng rng(n);
    std::vector<double> half(n * n);
    for (double& x : half) x = rng.normal();
    std::vector<double> matrix(n * n, 0.0);  // half half^T + I
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) {
          matrix[i * n + j] += half[i * n + k] * half[j * n + k];
        }
      }
      matrix[i * n + i] += 1;
    }
    std::vector<double> x(n);
    for (double& each : x) each = rng.normal();
    std::vector<double> b(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) b[i] += matrix[i * n + j] * x[j];
    }
    ASSERT_TRUE(factor_cholesky(matrix.data(), n, kSquareRoot));
    solve_cholesky(matrix.data(), n, b.data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-9) << n;
  }
}

TEST(Cholesky, PivotDecidesAboutDependentColumns) {
  const std::vector<double> singular = {1, 0, 2, 4};
  std::vector<double> matrix = singular;
  EXPECT_FALSE(factor_cholesky(matrix.data(), 2, [](double square) {
    return square > 1e-14 ? std::sqrt(square) : 0;
  }));
  matrix = singular;
  ASSERT_TRUE(factor_cholesky(matrix.data(), 2, [](double square) {
    return square > 1e-14 ? std::sqrt(square) : HUGE_VAL;
  }));
  std::vector<double> b = {3, 6};
  solve_cholesky(matrix.data(), 2, b.data());
  EXPECT_EQ(b, (std::vector<double>{3, 0}));
}

}  // namespace
}  // namespace lamarck
