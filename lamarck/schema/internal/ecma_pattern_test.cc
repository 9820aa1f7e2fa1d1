#include "lamarck/schema/internal/ecma_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace lamarck::schema {
namespace {

bool finds(std::string_view pattern, std::string_view text) {
  return EcmaPattern::compile(pattern).value().is_found_in(text);
}

std::string compile_error(std::string_view pattern) {
  const auto result = EcmaPattern::compile(pattern);
  return result ? "" : result.error().message();
}

TEST(EcmaPattern, FindsAnywhereUnlessAnchored) {
  EXPECT_TRUE(finds("b+", "abbc"));
  EXPECT_FALSE(finds("^b+", "abbc"));
  EXPECT_FALSE(finds("^abc$", "abc\n"));
  EXPECT_TRUE(finds("^a|c$", "xc"));
}

TEST(EcmaPattern, FollowsEcmaCharacterClasses) {
  EXPECT_TRUE(finds(R"(^\s$)", "\xC2\xA0"));
  EXPECT_FALSE(finds(R"(^\S$)", "\xE3\x80\x80"));
  EXPECT_TRUE(finds(R"(^[\S]$)", "x"));
  EXPECT_FALSE(finds(R"(^\d$)", "\xE0\xA7\xAA"));  // Bengali 4.
  EXPECT_FALSE(finds(R"(^\w$)", "\xC3\xA9"));      // e with an accent.
  EXPECT_TRUE(finds(R"(^\W$)", "\xC3\xA9"));
  EXPECT_FALSE(finds("^.$", "\xE2\x80\xA8"));  // A line separator.
  EXPECT_TRUE(finds("^.$", "\xF0\x9F\x90\xB2"));
  EXPECT_TRUE(finds("^[^]$", "\n"));
  EXPECT_FALSE(finds("[]", "a"));
  EXPECT_TRUE(finds(R"(^[\w.-]+$)", "a-b.c"));
  EXPECT_TRUE(finds(R"(^[\b]$)", "\b"));
}

TEST(EcmaPattern, FollowsEcmaEscapes) {
  EXPECT_TRUE(
      finds(R"(^\u0041\x42\u{43}\cJ\t\0$)", std::string("ABC\n\t\0", 6)));
  EXPECT_TRUE(finds(R"(^\uD83D\uDC32$)", "\xF0\x9F\x90\xB2"));
  EXPECT_TRUE(finds(R"(^\/\-\.\$$)", "/-.$"));
  EXPECT_TRUE(finds(R"(^\p{Letter}\p{Lu}\P{L}\p{Script=Greek}$)",
                    "\xC3\xA9"
                    "A1\xCE\xB1"));
  for (const char* pattern : {R"(\a)", R"(\Z)", R"(\u12)", R"(\x1)", R"(\c1)",
                              R"(\p{Nonsense})", "a\\", R"(\uD800)"}) {
    EXPECT_NE(compile_error(pattern), "") << pattern;
  }
}

TEST(EcmaPattern, SupportsRepetitionsAboveRe2Limit) {
  EXPECT_TRUE(finds("^a{2,3000}$", std::string(3000, 'a')));
  EXPECT_FALSE(finds("^a{2,3000}$", std::string(3001, 'a')));
  EXPECT_FALSE(finds("^(ab){1500,}$", std::string(1499, 'a')));
  EXPECT_TRUE(finds("^x{2}y{1,}?z{0}$", "xxyy"));
  EXPECT_TRUE(finds("^{a}$", "{a}"));
  EXPECT_NE(compile_error("a{3,2}"), "");
  EXPECT_NE(compile_error("a{1,4000000000}"), "");
}

TEST(EcmaPattern, SupportsLookAheadAtStart) {
  EXPECT_TRUE(finds(R"(^(?=.*\d)(?=.*[a-z]).{4,}$)", "abc1"));
  EXPECT_FALSE(finds(R"(^(?=.*\d)(?=.*[a-z]).{4,}$)", "abcd"));
  EXPECT_FALSE(finds("^(?!foo|bar)[a-z]+$", "barley"));
  EXPECT_TRUE(finds("^(?!foo|bar)[a-z]+$", "oats"));
}

TEST(EcmaPattern, RejectsUnboundedAndInvalidPatterns) {
  EXPECT_EQ(compile_error(R"((a)\1)"),
            "the pattern '(a)\\1' cannot be used: it contains a back "
            "reference, which cannot be matched in bounded time");
  for (const char* pattern :
       {"a(?=b)", "(?<=a)b", "(?<!a)b", "^(?=a)b|c", R"((?<n>a)\k<n>)"}) {
    EXPECT_NE(compile_error(pattern).find("bounded time"), std::string::npos)
        << pattern;
  }
  for (const char* pattern :
       {"(", ")", "[a", "*", "a**", "(?i)a", "[b-a]", "^(?=a"}) {
    EXPECT_NE(compile_error(pattern), "") << pattern;
  }
}

}  // namespace
}  // namespace lamarck::schema
