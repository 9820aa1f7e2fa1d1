// Matrices for tests of matrix products.

#pragma once

#include <cstdint>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {

// A matrix with elements from the standard normal distribution.
inline std::vector<float> normal_matrix(std::int64_t rows, std::int64_t columns,
                                        Rng& rng) {
  std::vector<float> matrix(static_cast<std::size_t>(rows * columns));
  for (float& x : matrix) x = static_cast<float>(rng.normal());
  return matrix;
}

}  // namespace lamarck
