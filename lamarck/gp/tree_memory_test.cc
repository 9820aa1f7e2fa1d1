#include "lamarck/gp/tree_memory.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::gp {
namespace {

TEST(TreeMemory, RecognizesKnownHashes) {
  TreeMemory memory;

  EXPECT_TRUE(memory.add(7));
  EXPECT_FALSE(memory.add(7));
  EXPECT_TRUE(memory.add(8));
}

TEST(TreeMemory, DropsOldestBeyondCapacity) {
  TreeMemory memory;
  for (std::uint64_t hash = 0; hash <= TreeMemory::kCapacity; ++hash) {
    memory.add(hash);
  }

  EXPECT_EQ(memory.size(), TreeMemory::kCapacity);
  EXPECT_TRUE(memory.add(0));
  EXPECT_FALSE(memory.add(TreeMemory::kCapacity));
}

TEST(TreeMemory, SurvivesRoundTripThroughJson) {
  TreeMemory memory;
  memory.add(0xffff'ffff'ffff'fffe);
  memory.add(3);
  auto back = TreeMemory::from_json(memory.to_json());

  ASSERT_TRUE(back) << back.error().message();
  EXPECT_FALSE(back->add(3));
  EXPECT_FALSE(back->add(0xffff'ffff'ffff'fffe));
  EXPECT_FALSE(TreeMemory::from_json(Json("text")));
  EXPECT_FALSE(TreeMemory::from_json(Json::array({1, -1})));
}

}  // namespace
}  // namespace lamarck::gp
