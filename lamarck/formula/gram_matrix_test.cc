#include "lamarck/formula/gram_matrix.h"

#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

std::vector<double> random_columns(std::size_t size, Rng& rng) {
  std::vector<double> columns(size);
  for (double& x : columns) x = rng.normal();
  return columns;
}

TEST(GramMatrix, ContainsDotProductsOfAllPairs) {
  Rng rng(1);
  for (std::size_t count = 1; count <= 11; ++count) {
    for (const std::size_t rows : {0, 1, 7, 8, 255, 256, 600}) {
      const auto columns = random_columns(count * rows, rng);
      std::vector<double> gram(count * count, -7);
      gram_matrix(columns.data(), count, rows, gram);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < rows; ++k) {
            sum += columns[i * rows + k] * columns[j * rows + k];
          }
          ASSERT_NEAR(gram[i * count + j], sum, 1e-11);
        }
      }
    }
  }
}

// Normal equations of random columns; the last column is the right side.
struct Equations {
  Equations(std::size_t of, std::size_t rows, std::uint64_t seed)
      : count(of), gram(of * of) {
    Rng rng(seed);
    columns = random_columns(of * rows, rng);
    update(rows);
  }
  void update(std::size_t rows) {
    gram_matrix(columns.data(), count, rows, gram);
  }
  std::vector<double> solution(const std::vector<std::uint8_t>& wanted,
                               double damping = 0) {
    std::vector<double> x(count - 1);
    EXPECT_TRUE(
        DampedSolver().solve(gram, count, count - 1, wanted, damping, x));
    return x;
  }
  // One row of G x - b.
  double defect(std::size_t row, const std::vector<double>& x) const {
    double sum = -gram[row * count + count - 1];
    for (std::size_t k = 0; k < x.size(); ++k) {
      sum += gram[row * count + k] * x[k];
    }
    return sum;
  }

  std::size_t count;
  std::vector<double> columns;
  std::vector<double> gram;
};

TEST(DampedSolver, SolvesNormalEquations) {
  Equations equations(6, 40, 2);
  const auto x = equations.solution({1, 1, 1, 1, 1});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(equations.defect(i, x), 0, 1e-10);
  }
}

TEST(DampedSolver, SolvesOnlyForWantedUnknowns) {
  Equations equations(5, 40, 3);
  const auto x = equations.solution({1, 0, 1, 0});
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(x[3], 0);
  EXPECT_NEAR(equations.defect(0, x), 0, 1e-10);
  EXPECT_NEAR(equations.defect(2, x), 0, 1e-10);
}

TEST(DampedSolver, SkipsDependentAndZeroColumns) {
  Equations equations(5, 40, 4);
  for (std::size_t row = 0; row < 40; ++row) {
    equations.columns[40 + row] = 3 * equations.columns[row];
    equations.columns[80 + row] = 0;
  }
  equations.update(40);
  const auto x = equations.solution({1, 1, 1, 1});
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(x[2], 0);
  for (const std::size_t i : {0, 1, 3}) {
    EXPECT_NEAR(equations.defect(i, x), 0, 1e-10);
  }
}

TEST(DampedSolver, DampingShortensSteps) {
  Equations equations(4, 40, 5);
  const auto free = equations.solution({1, 1, 1});
  const auto damped = equations.solution({1, 1, 1}, 1e6);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(std::abs(damped[i]), 1e-4 * std::abs(free[i]) + 1e-4);
  }
}

}  // namespace
}  // namespace lamarck::formula
