#include "lamarck/server/mcp/internal/mcp_workers.h"

#include <atomic>
#include <latch>
#include <gtest/gtest.h>

namespace lamarck::mcp {
namespace {

TEST(McpWorkers, FinishQueueBeforeDestruction) {
  std::atomic<int> done = 0;
  {
    McpWorkers workers(3);
    EXPECT_EQ(workers.thread_count(), 0u);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(workers.post([&] { ++done; }));
    EXPECT_LE(workers.thread_count(), 3u);
  }
  EXPECT_EQ(done, 100);
}

TEST(McpWorkers, StartThreadForEachBlockedTask) {
  McpWorkers workers(4);
  std::latch all_there(4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(workers.post([&] { all_there.arrive_and_wait(); }));
  }
  all_there.wait();
  EXPECT_EQ(workers.thread_count(), 4u);
}

}  // namespace
}  // namespace lamarck::mcp
