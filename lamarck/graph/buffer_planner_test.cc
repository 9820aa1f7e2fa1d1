#include "lamarck/graph/internal/buffer_planner.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(BufferPlanner, GivesAReleasedBufferToTheNextThatFits) {
  BufferPlanner planner;
  const auto large = planner.take(100);
  const auto small = planner.take(10);
  planner.release(large);
  planner.release(small);
  EXPECT_EQ(planner.take(12), small);
  EXPECT_EQ(planner.take(12), large);
}

TEST(BufferPlanner, EnlargesAFreeBufferRatherThanMakingOne) {
  BufferPlanner planner;
  const auto first = planner.take(10);
  planner.release(first);
  EXPECT_EQ(planner.take(1000), first);
  EXPECT_EQ(planner.offsets().back(), 1008);
}

TEST(BufferPlanner, LaysBuffersSideBySide) {
  BufferPlanner planner;
  const auto first = planner.take(17);
  const auto second = planner.take(1);
  EXPECT_NE(first, second);
  EXPECT_EQ(planner.offsets(), (std::vector<std::int64_t>{0, 32, 48}));
}

}  // namespace
}  // namespace lamarck
