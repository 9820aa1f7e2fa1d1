#include "lamarck/base/result.h"
#include "lamarck/base/macros.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace lamarck {
namespace {

Error odd_error() { return {ErrorCode::InvalidArgument, "3 is odd."}; }

Result<int> half(int x) {
  if (x % 2 != 0) return odd_error();
  return x / 2;
}

Result<int> quarter(int x) {
  ASSIGN_OR_RETURN(const int first, half(x));
  ASSIGN_OR_RETURN(const int second, half(first));
  return second;
}

Result<void> require_even(int x) {
  RETURN_IF_ERROR(half(x));
  return {};
}

TEST(Result, MacrosNest) {
  const auto outer = [&]() -> Result<void> {
    RETURN_IF_ERROR([&]() -> Result<void> {
      RETURN_IF_ERROR(half(3));
      return {};
    }());
    return {};
  };
  EXPECT_EQ(outer().error(), odd_error());
}

TEST(Result, HoldsValueOrError) {
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_FALSE(half(3));
  EXPECT_EQ(half(3).error(), odd_error());
}

TEST(Result, MacrosReturnFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error(), odd_error());
  EXPECT_TRUE(require_even(2));
  EXPECT_EQ(require_even(3).error(), odd_error());
}

TEST(Result, UncheckedAccessThrowsWithOriginalMessage) {
  EXPECT_THROW(half(4).error(), LogicError);
  EXPECT_THROW(require_even(2).error(), LogicError);
  EXPECT_THROW(require_even(3).value(), LogicError);
  try {
    const int unused = *half(3);
    FAIL() << unused;
  } catch (const LogicError& caught) {
    EXPECT_NE(std::string(caught.what()).find("3 is odd."), std::string::npos);
  }
}

TEST(Result, SupportsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> moved = std::move(result).value();
  EXPECT_EQ(*moved, 7);
}

TEST(Result, ConvertsImplicitlyToValue) {
  const Result<std::string> text = "hello";
  EXPECT_EQ(text->size(), 5u);
}

TEST(Result, ChainsLikeStdExpected) {
  EXPECT_EQ(half(8).and_then(half).value(), 2);
  EXPECT_EQ(half(3).and_then(half).error(), odd_error());
  EXPECT_EQ(half(8).transform([](int x) { return x + 0.5; }).value(), 4.5);
  EXPECT_EQ(half(3).value_or(-1), -1);
  const auto renamed = half(3).transform_error(
      [](const Error& error) { return error.within("half"); });
  EXPECT_EQ(renamed.error().message(), "half: 3 is odd.");
}

}  // namespace
}  // namespace lamarck
