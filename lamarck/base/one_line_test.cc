#include "lamarck/base/one_line.h"

#include <gtest/gtest.h>

#include <string>

#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

TEST(OneLine, EscapesControlCharacters) {
  EXPECT_EQ(in_quotes("plain"), "'plain'");
  EXPECT_EQ(in_quotes("a\nb\t\x1b[31m"), "'a\\nb\\t\\x1b[31m'");
  EXPECT_EQ(one_line("\xff"), "\uFFFD");
}

TEST(OneLine, EscapesWhatReordersOrBreaksText) {
  EXPECT_EQ(one_line("a\u009b31mb"), "a\\u009b31mb");           // C1 control.
  EXPECT_EQ(one_line("a\u202eb\u2066c"), "a\\u202eb\\u2066c");  // Bidi.
  EXPECT_EQ(one_line("a\u2028b\u2029c\u0085"), "a\\u2028b\\u2029c\\u0085");
  EXPECT_EQ(one_line("naïve é 思考 🙂"), "naïve é 思考 🙂");
}

TEST(SafeLines, KeepsLinesAndEscapesTheRest) {
  EXPECT_EQ(safe_lines("def f(x):\n\treturn x  # \x1b]0;title\x07\r\n"),
            "def f(x):\n\treturn x  # \\x1b]0;title\\x07\\x0d\n");
  EXPECT_EQ(safe_lines("\u202egnp.exe\xff"), "\\u202egnp.exe\uFFFD");
}

TEST(OneLine, LimitsLength) {
  const std::string huge(10'000'000, 'x');
  EXPECT_EQ(unicode_length(one_line(huge)), 100u);
  EXPECT_EQ(one_line(std::string(200, '\n'), 3), "\\n\\n…");
  EXPECT_EQ(one_line("思考の進化", 3), "思考…");
}

TEST(MarkupText, EscapesMarkupCharacters) {
  EXPECT_EQ(markup_text("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(markup_text("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(MarkupText, ReplacesCharactersForbiddenInXml) {
  EXPECT_EQ(markup_text("a\x01\r\x7F"), "a   ");
  EXPECT_EQ(markup_text("\xFF"), "\uFFFD");
  EXPECT_EQ(markup_text("a\xEF\xBF\xBE"
                        "b\xEF\xBF\xBF"),
            "a b ");
}

TEST(MarkupText, KeepsLineEndsAndTabs) {
  EXPECT_EQ(markup_text("def f(x):\n\treturn x"), "def f(x):\n\treturn x");
}

TEST(DotText, EscapesQuotesAndBackslashes) {
  EXPECT_EQ(dot_text("say \"a\\b\""), "say \\\"a\\\\b\\\"");
}

}  // namespace
}  // namespace lamarck
