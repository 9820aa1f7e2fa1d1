#include "lamarck/base/unicode.h"

#include <rapidcheck.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace lamarck {
namespace {

TEST(Unicode, CountsCharactersNotBytes) {
  EXPECT_EQ(unicode_length(""), 0u);
  EXPECT_EQ(unicode_length("abc"), 3u);
  EXPECT_EQ(unicode_length("héllo"), 5u);
  EXPECT_EQ(unicode_length("思考"), 2u);
  EXPECT_EQ(unicode_length("🧬"), 1u);
  EXPECT_EQ(unicode_length("a\xff\xfe"), 3u);
}

TEST(Unicode, RejectsInvalidUtf8) {
  EXPECT_TRUE(is_valid_utf8("ÿ思🧬"));
  EXPECT_FALSE(is_valid_utf8("\xC0\xAF")) << "overlong";
  EXPECT_FALSE(is_valid_utf8("\xE0\x80\x80")) << "overlong";
  EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80")) << "surrogate";
  EXPECT_FALSE(is_valid_utf8("\xF4\x90\x80\x80")) << "above U+10FFFF";
  EXPECT_FALSE(is_valid_utf8("\xE6\x80")) << "cut off";
  EXPECT_FALSE(is_valid_utf8("\x80")) << "continuation alone";
}

TEST(Unicode, TruncatesAtCharacterBoundary) {
  EXPECT_EQ(truncate_characters("思考の進化", 5), "思考の進化");
  EXPECT_EQ(truncate_characters("思考の進化", 4), "思考の…");
  EXPECT_EQ(truncate_characters("思考の進化", 4, ""), "思考の進");
  EXPECT_EQ(truncate_characters("abc", 1), "…");
  EXPECT_EQ(truncate_characters("abc", 0), "");
  EXPECT_EQ(truncate_characters("", 0), "");
}

TEST(Unicode, KeepsCombiningAccentsWithLetter) {
  const std::string text = "xe\u0301\u0323z";  // x, e with two accents, z
  EXPECT_EQ(truncate_characters(text, 2, ""), "x");
  EXPECT_EQ(truncate_characters(text, 4, ""), "xe\u0301\u0323");
}

TEST(Unicode, ReplacesEachInvalidByte) {
  EXPECT_EQ(make_valid_utf8("a\xff\xe6z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(make_valid_utf8("思"), "思");
}

RC_GTEST_PROP(UnicodeProperty, HoldsForAnyBytes, (const std::string& bytes)) {
  const std::size_t length = unicode_length(bytes);
  const std::string repaired = make_valid_utf8(bytes);
  RC_ASSERT(is_valid_utf8(repaired));
  RC_ASSERT(unicode_length(repaired) == length);
  for (std::size_t limit = 0; limit <= length + 1; ++limit) {
    const std::string cut = truncate_characters(repaired, limit);
    RC_ASSERT(unicode_length(cut) <= limit);
    RC_ASSERT(is_valid_utf8(cut));
  }
  RC_ASSERT(truncate_characters(repaired, length) == repaired);
}

}  // namespace
}  // namespace lamarck
