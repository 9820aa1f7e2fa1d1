#include "lamarck/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <nlohmann/json.hpp>

namespace lamarck {
namespace {

TEST(Json, ParsesWhatItDumps) {
  const std::string text =
      R"({"a":[1,-2,2.5,true,null,"\u00e9"],"b":{"c":18446744073709551615}})";
  const Json json = parse_json(text).value();
  EXPECT_EQ(parse_json(dump_json(json)).value(), json);
  EXPECT_EQ(parse_json(dump_json(json, 2)).value(), json);
}

TEST(Json, SyntaxErrorNamesLineAndColumn) {
  const Error error = parse_json("{\n  \"a\": 1,\n  \"b\": }").error();
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.fields().at("line"), "3");
  EXPECT_EQ(error.fields().at("column"), "8");
  EXPECT_EQ(error.message().find('\n'), std::string::npos);
}

TEST(Json, SyntaxErrorStaysShort) {
  const std::string huge = "\"" + std::string(1'000'000, 'x');
  EXPECT_LT(parse_json(huge).error().message().size(), 500u);
  EXPECT_EQ(parse_json("[1e999]").error().message().find("json.exception"),
            std::string::npos);
}

TEST(Json, RejectsInvalidText) {
  for (const char* text : {"", " ", "{", "[1,]", "{'a':1}", "1 2", "nul",
                           "\"\xff\"", "[1] x", "01", "+1", "NaN", "\"\t\""}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(Json, LimitsDepthAndSize) {
  const std::string deep(100'000, '[');
  EXPECT_NE(parse_json(deep).error().message().find("256 levels"),
            std::string::npos);
  const std::string fits = std::string(256, '[') + std::string(256, ']');
  EXPECT_TRUE(parse_json(fits));
  EXPECT_FALSE(parse_json("[" + fits + "]"));
  EXPECT_FALSE(parse_json("[1,2,3]", {.size_bytes = 6}));
}

TEST(Json, DumpsLikeNlohmann) {
  for (const char* text :
       {"{}", "[]", "[[],{}]", R"({"a\"":[1,-2,2.5,1e300,true,false,null]})",
        R"({"":"\u0001\n\/\u007f","思":-9223372036854775808})",
        "18446744073709551615", "-0.0", R"("plain")"}) {
    const Json json = Json::parse(text);
    EXPECT_EQ(dump_json(json), json.dump()) << text;
  }
}

TEST(Json, DumpsInvalidUtf8AndNanWithoutFailing) {
  EXPECT_EQ(dump_json(Json("a\xff")), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(dump_json(Json(std::nan(""))), "null");
}

TEST(JsonField, ReturnsFieldOrNamesTheProblem) {
  const Json json = parse_json(R"({"n":3,"x":2.5,"s":"hi","b":true})").value();
  EXPECT_EQ(json_field<std::int64_t>(json, "n").value(), 3);
  EXPECT_EQ(json_field<double>(json, "n").value(), 3.0);
  EXPECT_EQ(json_field<double>(json, "x").value(), 2.5);
  EXPECT_EQ(json_field<std::string>(json, "s").value(), "hi");
  EXPECT_EQ(json_field<bool>(json, "b").value(), true);
  EXPECT_EQ(json_field<Json>(json, "b").value(), Json(true));

  EXPECT_EQ(json_field<std::int64_t>(json, "x").error().message(),
            "The field 'x' must be a whole number, got 2.5.");
  EXPECT_EQ(json_field<std::string>(json, "q").error().message(),
            "The field 'q' is missing; it must be a string.");
  EXPECT_EQ(json_field<bool>(Json(7), "q").error().message(),
            "Expected an object with the field 'q', got 7.");
}

TEST(JsonField, UsesDefaultOnlyForMissingOrNull) {
  const Json json = parse_json(R"({"n":null,"s":"hi"})").value();
  EXPECT_EQ(json_field_or<std::int64_t>(json, "n", 5).value(), 5);
  EXPECT_EQ(json_field_or<std::int64_t>(json, "m", 5).value(), 5);
  EXPECT_FALSE(json_field_or<std::int64_t>(json, "s", 5));
}

TEST(JsonField, RejectsIntegersOutOfRange) {
  const Json json = parse_json(R"({"n":9223372036854775808})").value();
  EXPECT_FALSE(json_field<std::int64_t>(json, "n"));
}

TEST(Json, ConvertsErrorsWithCodeAndFields) {
  const Json json = error_to_json(
      Error(ErrorCode::NotFound, "There is no run 'x'.", {{"run", "x"}}));
  EXPECT_EQ(
      dump_json(json),
      R"({"code":"not_found","fields":{"run":"x"},"message":"There is no run 'x'."})");
}

}  // namespace
}  // namespace lamarck
