#include "lamarck/base/ensure.h"

#include <gtest/gtest.h>

#include <string>

namespace lamarck {
namespace {

TEST(Ensure, IsSilentWhileTheConditionHolds) {
  EXPECT_NO_THROW(ENSURE(1 + 1 == 2, "arithmetic works"));
}

TEST(Ensure, SaysWhatShouldHoldAndWhere) {
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

TEST(Require, BlamesTheCaller) {
  try {
    REQUIRE(1 + 1 == 3, "Number::add: the sum is right");
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_EQ(caught.error().code(), ErrorCode::InvalidArgument);
    EXPECT_STREQ(caught.what(),
                 "This is required, and was not so: Number::add: the sum is "
                 "right.");
  }
}

TEST(Ensure, EvaluatesTheConditionOnce) {
  int calls = 0;
  ENSURE(++calls > 0, "counting works");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace lamarck
