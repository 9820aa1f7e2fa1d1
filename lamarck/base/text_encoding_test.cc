#include "lamarck/base/text_encoding.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

using namespace std::string_literals;

TEST(TextEncoding, ConvertsToUtf8) {
  EXPECT_EQ(to_utf8("caf\xE9", "latin1").value(), "café");
  EXPECT_EQ(to_utf8("\x80", "Windows-1252").value(), "€");
  EXPECT_EQ(to_utf8("\xFF\xFE"
                    "a\0,\0"s,
                    "utf-16")
                .value(),
            "a,");
  EXPECT_EQ(to_utf8("", "latin1").value(), "");
  EXPECT_EQ(to_utf8(std::string(200'000, '\xE9'), "latin1")->size(), 400'000u);
}

TEST(TextEncoding, RejectsUnknownNamesAndInvalidBytes) {
  for (const char* name : {"klingon", "", "latin1//TRANSLIT"}) {
    EXPECT_EQ(to_utf8("a", name).error().message(),
              "The encoding must be a name that iconv knows, such as latin1, "
              "windows-1252 or utf-16, got '" +
                  std::string(name) + "'.");
  }
  EXPECT_EQ(to_utf8("ab\xFF", "utf-8").error().message(),
            "The text is not valid utf-8 at byte 3; give its real encoding.");
  EXPECT_FALSE(to_utf8("a\0b"s, "utf-16le"));  // Ends within a character.
}

TEST(TextEncoding, GuessesCommonEncodings) {
  EXPECT_EQ(guess_encoding("na\xEFve"), "latin1");
  EXPECT_EQ(guess_encoding("\x80 5"), "windows-1252");
  EXPECT_EQ(guess_encoding("\xFF\xFE"
                           "a\0"s),
            "utf-16");
  EXPECT_EQ(guess_encoding("\xFE\xFF\0a"s), "utf-16");
  EXPECT_EQ(guess_encoding("a\0b\0"s), "utf-16le");
  EXPECT_EQ(guess_encoding("\0a\0b"s), "utf-16be");
}

}  // namespace
}  // namespace lamarck
