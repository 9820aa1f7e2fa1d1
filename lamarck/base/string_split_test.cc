#include "lamarck/base/string_split.h"

#include <rapidcheck.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lamarck {
namespace {

TEST(StringSplit, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_text("a|b||c", '|'), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(split_text("", '|'), (Parts{""}));
  EXPECT_EQ(split_text("|", '|'), (Parts{"", ""}));
}

RC_GTEST_PROP(StringSplitProperty, JoiningUndoesSplitting,
              (const std::string& text)) {
  RC_ASSERT(join_text(split_text(text, ','), ",") == text);
}

}  // namespace
}  // namespace lamarck
