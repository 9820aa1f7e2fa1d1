#include "lamarck/problems/packing_instance.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lamarck::problems {
namespace {

TEST(PackingInstance, ReadsOrLibraryFormat) {
  const auto read = parse_packing(
      "2\n u3_00 \n 150 3 2\n42\n69\n67\n"
      " u2_01\n 100 2 1\r\n60\r\n40\r\n");

  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "u3_00");
  EXPECT_EQ((*read)[0].capacity, 150);
  EXPECT_EQ((*read)[0].items, (std::vector<int>{42, 69, 67}));
  EXPECT_EQ((*read)[1].items, (std::vector<int>{60, 40}));
}

TEST(PackingInstance, ErrorNamesInvalidValue) {
  const auto too_large = parse_packing("1\nu1\n150 1 1\n151\n");
  const auto broken = parse_packing("1\nu1\n100.0 1 1\n20\n");
  const auto short_one = parse_packing("1\nu1\n100 2 1\n20\n");

  ASSERT_FALSE(too_large);
  EXPECT_EQ(
      too_large.error().message(),
      "Packing file: the size of an item must be an integer between 1 and "
      "150, got '151'.");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message().find("'100.0'"), std::string::npos);
  EXPECT_FALSE(short_one);
  EXPECT_FALSE(parse_packing(""));
}

TEST(PackingInstance, LowerBoundIsSumOverCapacity) {
  EXPECT_EQ(min_bins({.capacity = 100, .items = {60, 40}}), 1);
  EXPECT_EQ(min_bins({.capacity = 100, .items = {60, 41}}), 2);
}

TEST(PackingInstance, DrawsSizesUniformly) {
  Rng rng(1);
  const auto instances = uniform_packing({.instances = 50}, rng);

  double sum = 0;
  for (const PackingInstance& instance : instances) {
    ASSERT_EQ(instance.items.size(), 120u);
    for (const int item : instance.items) {
      ASSERT_TRUE(item >= 20 && item <= 100) << item;
      sum += item;
    }
  }
  EXPECT_NEAR(sum / (50 * 120), 60, 1.5);
}

TEST(PackingInstance, SameSeedGivesSameInstances) {
  Rng one(5);
  Rng two(5);
  EXPECT_EQ(uniform_packing({}, one)[7].items,
            uniform_packing({}, two)[7].items);
}

}  // namespace
}  // namespace lamarck::problems
