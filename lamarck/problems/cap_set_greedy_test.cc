#include "lamarck/problems/cap_set_greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::problems {
namespace {

TEST(CapSetGreedy, ListsVectorsInBaseThreeOrder) {
  const auto columns = all_vectors(3);

  ASSERT_EQ(columns.size(), 3u);
  ASSERT_EQ(columns[0].size(), 27u);
  EXPECT_EQ(columns[0][11], 1);
  EXPECT_EQ(columns[1][11], 0);
  EXPECT_EQ(columns[2][11], 2);
}

TEST(CapSetGreedy, EqualPrioritiesGiveVectorsOfZerosAndOnes) {
  const std::vector<double> same(81, 0.0);
  const auto found = greedy_cap_set(4, same);

  EXPECT_EQ(found.size(), 16u);
  EXPECT_TRUE(is_cap_set(4, found));
}

TEST(CapSetGreedy, FindsMaximalCapSet) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const int dimension = static_cast<int>(rng.integer(1, 6));
    std::vector<double> priorities(vector_count(dimension));
    for (double& priority : priorities) priority = rng.uniform();

    auto found = greedy_cap_set(dimension, priorities);
    ASSERT_TRUE(is_cap_set(dimension, found)) << "seed " << seed;
    EXPECT_LE(static_cast<int>(found.size()), kLargestCapSets[dimension - 1]);
    for (std::size_t other = 0; other < priorities.size(); ++other) {
      if (std::count(found.begin(), found.end(), other) > 0) continue;
      found.push_back(other);
      ASSERT_FALSE(is_cap_set(dimension, found)) << "seed " << seed;
      found.pop_back();
    }
  }
}

TEST(CapSetGreedy, DistinguishesLinesFromCapSets) {
  EXPECT_FALSE(is_cap_set(2, std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(is_cap_set(2, std::vector<std::size_t>{0, 4, 8}));
  EXPECT_FALSE(is_cap_set(2, std::vector<std::size_t>{0, 0}));
  EXPECT_FALSE(is_cap_set(2, std::vector<std::size_t>{9}));
  EXPECT_TRUE(is_cap_set(2, std::vector<std::size_t>{0, 1, 3, 4}));
}

TEST(CapSetGreedy, RejectsWrongNumberOfPriorities) {
  EXPECT_THROW((void)greedy_cap_set(2, std::vector<double>(8)), LogicError);
  EXPECT_THROW((void)vector_count(9), LogicError);
}

}  // namespace
}  // namespace lamarck::problems
