#include <gtest/gtest.h>

#include <chrono>

#include "lamarck/base/eventually_fixture.h"

namespace lamarck {
namespace {

TEST(Eventually, ReturnsOnceConditionHolds) {
  int calls = 0;
  EXPECT_TRUE(
      eventually("it was called three times", [&] { return ++calls == 3; }));
  EXPECT_EQ(calls, 3);
}

TEST(Eventually, TimeoutNamesTheCondition) {
  const auto result = eventually(
      "pigs fly", [] { return false; }, std::chrono::milliseconds(5));
  EXPECT_FALSE(result);
  EXPECT_STREQ(result.message(),
               "Timed out after 5 ms waiting until pigs fly.");
}

}  // namespace
}  // namespace lamarck
