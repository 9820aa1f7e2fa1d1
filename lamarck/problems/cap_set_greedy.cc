#include "lamarck/problems/cap_set_greedy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include "lamarck/base/ensure.h"

namespace lamarck::problems {
namespace {

// The number of vectors of four coordinates. A vector of up to eight
// coordinates is two halves, each with a table of 81 x 81 entries that fits
// into the cache.
constexpr std::size_t kHalf = 81;

// The third vector on the line through a and b. Three vectors lie on a line if
// the sum of each coordinate is 0 modulo 3.
constexpr std::size_t third_of_half(std::size_t a, std::size_t b) {
  std::size_t third = 0;
  for (std::size_t power = 1; power < kHalf; power *= 3) {
    third += (6 - a / power % 3 - b / power % 3) % 3 * power;
  }
  return third;
}

using HalfTable = std::array<std::array<std::uint8_t, kHalf>, kHalf>;

HalfTable half_table() {
  HalfTable table{};
  for (std::size_t a = 0; a < kHalf; ++a) {
    for (std::size_t b = 0; b < kHalf; ++b) {
      table[a][b] = static_cast<std::uint8_t>(third_of_half(a, b));
    }
  }
  return table;
}

// The third vector on the line through a and b, for up to eight coordinates.
std::size_t third(std::size_t a, std::size_t b) {
  static const HalfTable kThirds = half_table();
  return kThirds[a / kHalf][b / kHalf] * kHalf + kThirds[a % kHalf][b % kHalf];
}

}  // namespace

std::size_t vector_count(int dimension) {
  REQUIRE(dimension >= 1 && dimension <= kMaxCapSetDimension,
          "vector_count: dimension must be between 1 and {}, got {}.",
          kMaxCapSetDimension, dimension);
  std::size_t count = 1;
  for (int i = 0; i < dimension; ++i) count *= 3;
  return count;
}

std::vector<std::vector<double>> all_vectors(int dimension) {
  const std::size_t count = vector_count(dimension);
  std::vector<std::vector<double>> columns;
  for (std::size_t power = count / 3; power > 0; power /= 3) {
    std::vector<double>& column = columns.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      column[i] = static_cast<double>(i / power % 3);
    }
  }
  return columns;
}

std::vector<std::size_t> greedy_cap_set(int dimension,
                                        std::span<const double> priorities) {
  const std::size_t count = vector_count(dimension);
  REQUIRE(priorities.size() == count,
          "greedy_cap_set: there must be {} priorities, one per vector, got "
          "{}.",
          count, priorities.size());
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return priorities[a] > priorities[b];
                   });
  std::vector<std::size_t> taken;
  std::vector<char> is_blocked(count, 0);
  for (const std::size_t vector : order) {
    if (is_blocked[vector] != 0) continue;
    // Blocks the third vector of every line through the new vector.
    for (const std::size_t other : taken) is_blocked[third(vector, other)] = 1;
    taken.push_back(vector);
  }
  return taken;
}

bool is_cap_set(int dimension, std::span<const std::size_t> vectors) {
  const std::set<std::size_t> all(vectors.begin(), vectors.end());
  if (all.size() != vectors.size()) return false;
  if (!all.empty() && *all.rbegin() >= vector_count(dimension)) return false;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (all.contains(third(vectors[i], vectors[k]))) return false;
    }
  }
  return true;
}

}  // namespace lamarck::problems
