#include "lamarck/base/json_quote.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

TEST(QuoteJson, EscapesQuotesAndBackslashes) {
  EXPECT_EQ(quote_json(""), R"("")");
  EXPECT_EQ(quote_json("plain"), R"("plain")");
  EXPECT_EQ(quote_json(R"({"a":"\n"})"), R"("{\"a\":\"\\n\"}")");
  EXPECT_EQ(quote_json("\xE6\x80\x9D\x7f"), "\"\xE6\x80\x9D\x7f\"");
}

TEST(QuoteJson, AgreesWithNlohmann) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    std::string text;
    const char* const pieces[] = {
        "a",    "\"", "\\", "\n", "\x01", "\xE6\x80\x9D", "\xff", "\xC3",
        "\x7f", " ",  "\b", "\f", "\r",   "\t",           "\x1f"};
    const std::uint64_t size = rng.below(60);
    for (std::uint64_t i = 0; i < size; ++i)
      text += pieces[rng.below(std::size(pieces))];
    const auto kReplace = Json::error_handler_t::replace;
    EXPECT_EQ(quote_json(text), Json(text).dump(-1, ' ', false, kReplace))
        << seed;
  }
}

}  // namespace
}  // namespace lamarck
