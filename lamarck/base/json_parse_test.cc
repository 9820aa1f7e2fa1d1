#include "lamarck/base/json_parse.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

constexpr std::size_t kDepth = 256;

Json parse_with_nlohmann(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// Expects the same value with the same number types, or no value.
void expect_same_as_nlohmann(const std::string& text) {
  const auto read = parse_valid_json(text, kDepth);
  if (!read) return;
  const Json known = parse_with_nlohmann(text);
  ASSERT_FALSE(known.is_discarded()) << text;
  EXPECT_EQ(*read, known) << text;
  EXPECT_EQ(read->dump(), known.dump()) << text;
}

std::string random_string(Rng& rng) {
  const char* const pieces[] = {"a",
                                "name",
                                "\\\"",
                                "\\\\",
                                "\\n",
                                "\\u00e9",
                                "\\u0000",
                                "\xE6\x80\x9D",
                                "\\ud83d\\ude00",
                                "\xF0\x9F\x98\x80",
                                "\\/",
                                " "};
  std::string text = "\"";
  const std::uint64_t size = rng.below(6);
  for (std::uint64_t i = 0; i < size; ++i) {
    text += pieces[rng.below(std::size(pieces))];
  }
  return text + "\"";
}

// NOLINTNEXTLINE(misc-no-recursion): at most `levels` deep.
std::string random_text(Rng& rng, int levels) {
  const char* const plain[] = {"0",
                               "-0",
                               "1",
                               "-1",
                               "18446744073709551615",
                               "-9223372036854775808",
                               "0.1",
                               "-2.5e-3",
                               "1E+2",
                               "5e-324",
                               "true",
                               "false",
                               "null",
                               "123456789012345678",
                               "1.7976931348623157e308"};
  const std::uint64_t kind = rng.below(levels > 0 ? 4 : 2);
  if (kind == 0) return plain[rng.below(std::size(plain))];
  if (kind == 1) return random_string(rng);
  std::string text = kind == 2 ? "[" : "{";
  const std::uint64_t size = rng.below(5);
  for (std::uint64_t i = 0; i < size; ++i) {
    if (i > 0) text += rng.below(2) == 0 ? "," : " ,\n";
    if (kind == 3) text += random_string(rng) + (i % 2 == 0 ? ":" : " : ");
    text += random_text(rng, levels - 1);
  }
  return text + (kind == 2 ? "]" : "}");
}

TEST(ParseValidJson, AgreesWithNlohmannOnValidText) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const std::string text = random_text(rng, 4);
    ASSERT_TRUE(parse_valid_json(text, kDepth).has_value()) << text;
    expect_same_as_nlohmann(text);
  }
}

TEST(ParseValidJson, AcceptsNothingThatNlohmannRejects) {
  const std::string bytes = "{}[]\",:\\u0123eE+-.truefalsn \n\t\x01\xff\xC3";
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Rng rng(seed);
    std::string text = random_text(rng, 3);
    const std::uint64_t changes = 1 + rng.below(3);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::size_t at = rng.below(text.size());
      const char byte = bytes[rng.below(bytes.size())];
      if (rng.below(3) == 0) text.erase(at, 1);
      text.insert(std::min(at, text.size()), 1, byte);
    }
    expect_same_as_nlohmann(text);
  }
}

TEST(ParseValidJson, ReturnsNothingForInvalidText) {
  for (const std::string& text :
       {std::string("{\"a\":1"), std::string("[1,]"), std::string("01"),
        std::string("\"\\ud800\""), std::string("\"\\udc00\""),
        std::string("\"\\ud800\\u0041\""), std::string("\"\\x\""),
        std::string("\"\t\""), std::string("\"\xff\""), std::string("1e999"),
        std::string("18446744073709551616"), std::string("[1] x"),
        std::string("\"\\u00-1\""), std::string("1.\0", 3),
        std::string("{\"a\" 1}"), std::string("\"\\"), std::string("-")}) {
    EXPECT_FALSE(parse_valid_json(text, kDepth)) << text;
  }
  const std::string deep = std::string(5, '[') + std::string(5, ']');
  EXPECT_TRUE(parse_valid_json(deep, 5));
  EXPECT_FALSE(parse_valid_json(deep, 4));
  const std::string endless(1'000'000, '[');
  EXPECT_FALSE(
      parse_valid_json(endless, std::numeric_limits<std::size_t>::max()));
}

TEST(ParseValidJson, KeepsLastOfDuplicateKeys) {
  EXPECT_EQ(parse_valid_json(R"({"a":{"b":1},"a":{"c":2}})", kDepth),
            parse_with_nlohmann(R"({"a":{"b":1},"a":{"c":2}})"));
}

}  // namespace
}  // namespace lamarck
