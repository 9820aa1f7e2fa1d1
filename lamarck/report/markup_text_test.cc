#include "lamarck/report/markup_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace lamarck::report {
namespace {

TEST(MarkupText, EscapesMarkupCharacters) {
  EXPECT_EQ(markup_text("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(markup_text("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(MarkupText, ReplacesCharactersForbiddenInXml) {
  EXPECT_EQ(markup_text("a\x01\n\x7F"), "a   ");
  EXPECT_EQ(markup_text("\xFF"), "\xEF\xBF\xBD");
}

TEST(GroupedDigits, SeparatesThousandsWithCommas) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(-999), "-999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(-1234567), "-1,234,567");
  EXPECT_EQ(grouped_digits(std::numeric_limits<std::int64_t>::min()),
            "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace lamarck::report
