// Gram matrices, and the damped normal equations of least squares.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lamarck::formula {

// gram[i * count + j] = the dot product of columns i and j, for both triangles.
// The columns are stored one after another.
void gram_matrix(const double* columns, std::size_t count, std::size_t rows,
                 std::span<double> gram);

// Solves (G + damping diag(G)) x = b by Cholesky factorization, with the
// unknowns scaled to unit diagonal. Solves only for the `wanted` unknowns; the
// others are 0, as are those whose column is 0, not finite, or linearly
// dependent on others. Keeps its memory between calls.
class DampedSolver {
 public:
  // `gram` has `stride` * `stride` elements, of which the first x.size() rows
  // and columns are G, and b is the column `b_column`. Returns whether all of x
  // is finite.
  bool solve(std::span<const double> gram, std::size_t stride,
             std::size_t b_column, std::span<const std::uint8_t> wanted,
             double damping, std::span<double> x);

 private:
  void pick(std::span<const double> gram, std::size_t stride,
            std::span<const std::uint8_t> wanted);
  void factor(double damping);

  std::vector<std::size_t> picked_;  // Unknowns that are solved for.
  std::vector<double> scale_;        // Scale of each picked unknown.
  std::vector<double> factor_;       // Lower triangle.
};

}  // namespace lamarck::formula
