#include "lamarck/base/ensure.h"

#include <gtest/gtest.h>

#include <string>

namespace lamarck {
namespace {

TEST(Ensure, DoesNothingIfConditionHolds) {
  EXPECT_NO_THROW(ENSURE(1 + 1 == 2, "arithmetic works"));
}

TEST(Ensure, ReportsConditionAndLocation) {
  try {
    ENSURE(1 + 1 == 3, "arithmetic works");
    FAIL() << "nothing was thrown";
  } catch (const InvariantError& caught) {
    const std::string message = caught.what();
    EXPECT_NE(message.find("arithmetic works"), std::string::npos);
    EXPECT_NE(message.find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(message.find("ensure_test.cc:"), std::string::npos);
    EXPECT_EQ(caught.error().code(), ErrorCode::Internal);
  }
}

TEST(Require, ReportsGivenValuesAsInvalidArgument) {
  const int groups = 3;
  try {
    REQUIRE(groups == 2, "Conv2d: groups ({}) must divide in_channels ({}).",
            groups, 4);
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_EQ(caught.error().code(), ErrorCode::InvalidArgument);
    EXPECT_STREQ(caught.what(),
                 "Conv2d: groups (3) must divide in_channels (4).");
  }
}

TEST(Require, FormatsMessageOnlyOnFailure) {
  int calls = 0;
  REQUIRE(calls == 0, "count: must be 0, got {}.", ++calls);
  EXPECT_EQ(calls, 0);
}

TEST(Ensure, EvaluatesConditionOnce) {
  int calls = 0;
  ENSURE(++calls > 0, "counting works");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace lamarck
