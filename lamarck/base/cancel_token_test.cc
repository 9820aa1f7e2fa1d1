#include "lamarck/base/cancel_token.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lamarck {
namespace {

using namespace std::chrono_literals;

TEST(CancelToken, IsNeverCancelledByDefault) {
  const CancelToken token;
  EXPECT_FALSE(token.is_cancelled());
  EXPECT_TRUE(token.check());
  EXPECT_FALSE(token.wait_for(1ns));
}

TEST(CancelToken, ReportsFirstReasonOfSource) {
  CancelSource source;
  const CancelToken token = source.token();
  EXPECT_TRUE(token.check());

  source.cancel("Interrupted by Ctrl-C.");
  source.cancel("another reason");

  EXPECT_TRUE(token.is_cancelled());
  EXPECT_EQ(token.check().error(),
            Error(ErrorCode::Cancelled, "Interrupted by Ctrl-C."));
}

TEST(CancelToken, OutlivesItsSource) {
  CancelToken token;
  {
    CancelSource source;
    token = source.token();
    source.cancel("gone");
  }
  EXPECT_EQ(token.reason(), "gone");
}

TEST(CancelToken, WakesAllWaiters) {
  CancelSource source;
  std::atomic<int> woken = 0;
  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 4; ++i) {
      waiters.emplace_back(
          [&, token = source.token()] { woken += token.wait_for(1h); });
    }
    source.cancel("wake up");
  }
  EXPECT_EQ(woken, 4);
}

TEST(CancelToken, WaitsForAnyDuration) {
  CancelSource source;
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    source.cancel("");
  });
  EXPECT_TRUE(source.token().wait_for(std::chrono::nanoseconds::max()));
  EXPECT_EQ(source.token().reason(), "Cancelled.");
}

TEST(CancelSource, FollowsParentButDoesNotCancelIt) {
  CancelSource parent;
  CancelSource first(parent.token());
  CancelSource second(parent.token());

  first.cancel("lost the race");
  EXPECT_FALSE(parent.token().is_cancelled());
  EXPECT_FALSE(second.token().is_cancelled());

  parent.cancel("session ended");
  EXPECT_EQ(second.token().reason(), "session ended");
  EXPECT_EQ(first.token().reason(), "lost the race");
}

TEST(CancelSource, IsCancelledIfParentAlreadyIs) {
  CancelSource parent;
  parent.cancel("too late");
  const CancelSource child(parent.token());
  EXPECT_EQ(child.token().reason(), "too late");
}

}  // namespace
}  // namespace lamarck
