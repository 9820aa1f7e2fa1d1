// Cap sets: sets of vectors over 0, 1, 2 in which no three lie on a line.
//
// A vector is the number of its place when all are listed in order, the first
// coordinate changing last: (0, 0, 1) is 1 and (1, 0, 2) is 11.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::problems {

inline constexpr int kMaxCapSetDimension = 8;

// 3 to the power of `dimension`. REQUIRES: 1 to kMaxCapSetDimension, here and
// below.
std::size_t vector_count(int dimension);
// By coordinate, then by vector.
std::vector<std::vector<double>> all_vectors(int dimension);

// Takes vectors from the highest priority to the lowest, the first of equals,
// and leaves out those on a line with two that it has.
// REQUIRES: one priority for each vector, none of them NaN.
std::vector<std::size_t> greedy_cap_set(int dimension,
                                        std::span<const double> priorities);

// Whether all vectors are different and no three lie on a line.
bool is_cap_set(int dimension, std::span<const std::size_t> vectors);

// The size of the largest ones, as far as it is known (dimension 1 to 6).
inline constexpr int kLargestCapSets[] = {2, 4, 9, 20, 45, 112};

}  // namespace lamarck::problems
