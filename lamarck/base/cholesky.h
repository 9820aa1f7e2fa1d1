// Cholesky factorization of symmetric positive definite matrices, stored row by
// row with their lower triangle filled in.

#pragma once

#include <cstddef>

namespace lamarck {

// Replaces the lower triangle of the n x n matrix by L, where L L^T is the
// matrix. pivot(square) turns what is left of a diagonal element into L's: its
// square root, or what the caller makes of a matrix that is not quite positive
// definite. An infinite pivot leaves its unknown at 0; 0 stops the
// factorization. Returns whether it was completed.
template <class Pivot>
bool factor_cholesky(double* matrix, std::size_t n, Pivot&& pivot) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = matrix + i * n;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = matrix + j * n;
      for (std::size_t k = 0; k < j; ++k) row[j] -= row[k] * other[k];
      row[j] /= other[j];
    }
    for (std::size_t k = 0; k < i; ++k) row[i] -= row[k] * row[k];
    row[i] = pivot(row[i]);
    if (row[i] == 0) return false;
  }
  return true;
}

// Solves L L^T x = b in place.
inline void solve_cholesky(const double* factor, std::size_t n, double* b) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor[i * n + k] * b[k];
    b[i] /= factor[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= factor[k * n + i] * b[k];
    b[i] /= factor[i * n + i];
  }
}

}  // namespace lamarck
