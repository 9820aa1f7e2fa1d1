#include "lamarck/net/internal/memory_budget.h"

#include <deque>
#include <gtest/gtest.h>

namespace lamarck::net::internal {
namespace {

using std::chrono::seconds;

// Counts how often it is asked to give up.
struct Client {
  explicit Client(MemoryBudget& budget) : holder(budget, [this] { ++asked; }) {}

  int asked = 0;
  MemoryBudget::Holder holder;
};

TEST(MemoryBudget, AsksNobodyWithinLimit) {
  MemoryBudget budget(100);
  Client first(budget);
  Client second(budget);
  first.holder.hold(60, seconds(0));
  second.holder.hold(40, seconds(1));
  EXPECT_EQ(budget.held_bytes(), 100u);
  EXPECT_EQ(first.asked + second.asked, 0);
}

TEST(MemoryBudget, AsksLargestOfEqualAge) {
  MemoryBudget budget(100);
  Client small(budget);
  Client large(budget);
  Client last(budget);
  small.holder.hold(20, seconds(0));
  large.holder.hold(70, seconds(0));
  last.holder.hold(30, seconds(0));
  EXPECT_EQ(large.asked, 1);
  EXPECT_EQ(small.asked + last.asked, 0);
  EXPECT_EQ(budget.held_bytes(), 50u);
}

TEST(MemoryBudget, AsksOldestOfEqualSize) {
  MemoryBudget budget(100);
  Client old(budget);
  Client recent(budget);
  Client newest(budget);
  recent.holder.hold(40, seconds(5));
  old.holder.hold(40, seconds(0));
  newest.holder.hold(40, seconds(9));
  EXPECT_EQ(old.asked, 1);
  EXPECT_EQ(recent.asked + newest.asked, 0);
}

TEST(MemoryBudget, NewLargeHolderOutlivesOldOnes) {
  MemoryBudget budget(100);
  std::deque<Client> stalled;
  for (int i = 0; i < 9; ++i) {
    stalled.emplace_back(budget).holder.hold(10, seconds(0));
  }
  Client upload(budget);
  upload.holder.hold(40, seconds(30));
  EXPECT_EQ(upload.asked, 0);
  EXPECT_EQ(budget.held_bytes(), 100u);
}

TEST(MemoryBudget, HolderThatWasAskedIsAskedAgainOnlyAfterGivingUp) {
  MemoryBudget budget(100);
  Client client(budget);
  client.holder.hold(200, seconds(0));
  client.holder.hold(300, seconds(1));
  EXPECT_EQ(client.asked, 1);
  EXPECT_EQ(budget.held_bytes(), 0u);
  EXPECT_TRUE(client.holder.is_asked());
  client.holder.hold(0, seconds(2));
  EXPECT_FALSE(client.holder.is_asked());
  client.holder.hold(50, seconds(3));
  EXPECT_EQ(budget.held_bytes(), 50u);
  client.holder.hold(150, seconds(4));
  EXPECT_EQ(client.asked, 2);
}

TEST(MemoryBudget, DestroyedHolderHoldsNothing) {
  MemoryBudget budget(100);
  {
    Client client(budget);
    client.holder.hold(80, seconds(0));
  }
  EXPECT_EQ(budget.held_bytes(), 0u);
}

}  // namespace
}  // namespace lamarck::net::internal
