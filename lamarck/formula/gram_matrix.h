// The products of all pairs of columns, and the equations they make.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lamarck::formula {

// gram[i * count + j] = sum over rows of columns i and j, both triangles; the
// columns lie one behind the other.
void gram_matrix(const double* columns, std::size_t count, std::size_t rows,
                 std::span<double> gram);

// Solves (G + damping diag(G)) x = b by Cholesky's method, with the unknowns
// brought to one scale, for the unknowns that are `wanted`; the others are 0,
// as are those whose column is 0, not finite, or depends on the others. Returns
// whether all of x is finite. Keeps its memory between calls.
class DampedSolver {
 public:
  // `gram` is of size `stride` * `stride`, its first x.size() rows count, and b
  // is its column `b_column`.
  bool solve(std::span<const double> gram, std::size_t stride,
             std::size_t b_column, std::span<const std::uint8_t> wanted,
             double damping, std::span<double> x);

 private:
  void pick(std::span<const double> gram, std::size_t stride,
            std::span<const std::uint8_t> wanted);
  void factor(double damping);
  void substitute(std::vector<double>& y) const;

  std::vector<std::size_t> picked_;  // Unknowns that take part.
  std::vector<double> scale_;        // Of each that was picked.
  std::vector<double> factor_;       // Lower triangle.
};

}  // namespace lamarck::formula
