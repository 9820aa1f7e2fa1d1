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

TEST(OneLine, LimitsLength) {
  const std::string huge(10'000'000, 'x');
  EXPECT_EQ(unicode_length(one_line(huge)), 100u);
  EXPECT_EQ(one_line(std::string(200, '\n'), 3), "\\n\\n…");
  EXPECT_EQ(one_line("思考の進化", 3), "思考…");
}

}  // namespace
}  // namespace lamarck
