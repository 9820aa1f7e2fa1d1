#include "lamarck/agent/loop_guard.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::agent {
namespace {

TEST(LoopGuard, RefusesThirdAndEndsAtFifthIdenticalCall) {
  LoopGuard guard;
  const Json arguments = {{"path", "a"}, {"n", 1}};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(guard.check("read", arguments), LoopVerdict::Proceed);
    guard.record("read", arguments, "same");
  }
  EXPECT_EQ(guard.check("read", arguments), LoopVerdict::Refuse);
  EXPECT_EQ(guard.check("read", {{"n", 1}, {"path", "a"}}),
            LoopVerdict::Refuse);
  EXPECT_EQ(guard.check("read", arguments), LoopVerdict::End);
}

TEST(LoopGuard, AllowsPollingWhileResultsChange) {
  LoopGuard guard;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(guard.check("poll", {}), LoopVerdict::Proceed);
    guard.record("poll", {}, i);
  }
}

TEST(LoopGuard, TellsOtherCallsApart) {
  LoopGuard guard;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(guard.check("read", {{"n", i}}), LoopVerdict::Proceed);
    guard.record("read", {{"n", i}}, "same");
  }
}

}  // namespace
}  // namespace lamarck::agent
