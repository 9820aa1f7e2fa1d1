// Cap sets: sets of vectors over {0, 1, 2} in which no three lie on a line.
//
// A vector is represented by its coordinates read as a number in base 3:
// (0, 0, 1) is 1 and (1, 0, 2) is 11.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::problems {

inline constexpr int kMaxCapSetDimension = 8;

// 3 to the power of `dimension`. REQUIRES, here and below: `dimension` is
// between 1 and kMaxCapSetDimension.
std::size_t vector_count(int dimension);
// Returns all vectors, by coordinate, then by vector.
std::vector<std::vector<double>> all_vectors(int dimension);

// Adds vectors from the highest priority to the lowest, the lower index first
// if equal, and skips those on a line with two that are already taken.
// REQUIRES: one priority per vector, none of them NaN.
std::vector<std::size_t> greedy_cap_set(int dimension,
                                        std::span<const double> priorities);

// Whether all vectors are distinct and no three lie on a line.
bool is_cap_set(int dimension, std::span<const std::size_t> vectors);

// The sizes of the largest cap sets; known for dimensions 1 to 6.
inline constexpr int kLargestCapSets[] = {2, 4, 9, 20, 45, 112};

}  // namespace lamarck::problems
