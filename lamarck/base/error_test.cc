#include "lamarck/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace lamarck {
namespace {

TEST(Error, CarriesCodeMessageAndFields) {
  const Error error(ErrorCode::NotFound, "There is no run 'r7'.",
                    {{"run", "r7"}});

  EXPECT_EQ(error.code(), ErrorCode::NotFound);
  EXPECT_EQ(error.message(), "There is no run 'r7'.");
  EXPECT_EQ(error.fields().at("run"), "r7");
}

TEST(Error, WithinKeepsCodeAndFields) {
  const Error inner(ErrorCode::IoFailed, "disk full", {{"path", "a.csv"}});
  const Error outer = inner.within("saving the model");

  EXPECT_EQ(outer.message(), "saving the model: disk full");
  EXPECT_EQ(outer.code(), inner.code());
  EXPECT_EQ(outer.fields(), inner.fields());
}

TEST(Error, EveryCodeRoundTripsThroughItsName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const std::string_view name = error_code_name(code);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(parse_error_code(name), code) << name;
  }
  EXPECT_EQ(parse_error_code("no such name"), ErrorCode::Internal);
}

TEST(LogicError, CarriesErrorAndItsMessage) {
  const Error error(ErrorCode::InvalidArgument, "matmul: inner sizes differ");
  try {
    throw LogicError(error);
  } catch (const std::logic_error& caught) {
    EXPECT_STREQ(caught.what(), "matmul: inner sizes differ");
    const auto* ours = dynamic_cast<const LogicError*>(&caught);
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->error(), error);
  }
}

}  // namespace
}  // namespace lamarck
