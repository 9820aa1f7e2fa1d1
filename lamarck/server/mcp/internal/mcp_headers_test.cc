#include "lamarck/server/mcp/internal/mcp_headers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

Json make_schema(Json property) {
  return {{"type", "object"}, {"properties", {{"a", std::move(property)}}}};
}

TEST(HeaderMarks, FindsMarksThroughProperties) {
  const Json nested = make_schema(
      make_schema({{"type", "integer"}, {"x-mcp-header", "Depth"}}));
  const auto marks = find_header_marks(nested).value();
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].header, "Mcp-Param-Depth");
  EXPECT_EQ(marks[0].path, (std::vector<std::string>{"a", "a"}));
  EXPECT_TRUE(find_header_marks(make_schema({{"type", "string"}}))->empty());
}

TEST(HeaderMarks, RejectsIllegalPlacesAndTypes) {
  const Json good = {{"type", "string"}, {"x-mcp-header", "A"}};
  const std::vector<Json> bad = {
      make_schema({{"type", "number"}, {"x-mcp-header", "A"}}),
      make_schema({{"x-mcp-header", "A"}}),
      make_schema({{"type", "string"}, {"x-mcp-header", ""}}),
      make_schema({{"type", "string"}, {"x-mcp-header", "A B"}}),
      make_schema({{"type", "string"}, {"x-mcp-header", 1}}),
      make_schema({{"type", "array"}, {"items", good}}),
      {{"type", "object"}, {"allOf", Json::array({make_schema(good)})}},
      {{"type", "object"}, {"$defs", {{"x", good}}}},
      {{"type", "object"},
       {"properties",
        {{"a", good}, {"b", {{"type", "string"}, {"x-mcp-header", "a"}}}}}},
  };
  for (const Json& schema : bad) {
    EXPECT_FALSE(find_header_marks(schema).has_value()) << schema;
  }
}

TEST(HeaderMarks, ComparesByType) {
  const auto marks =
      find_header_marks(
          {{"type", "object"},
           {"properties",
            {{"n", {{"type", "integer"}, {"x-mcp-header", "N"}}},
             {"b", {{"type", "boolean"}, {"x-mcp-header", "B"}}}}}})
          .value();
  const auto agrees = [&](const char* name, const char* value,
                          const Json& arguments) {
    return !check_marked_headers({{name, value}}, marks, arguments).has_value();
  };
  EXPECT_TRUE(agrees("mcp-param-n", "42", {{"n", 42}}));
  EXPECT_TRUE(agrees("mcp-param-n", "42", {{"n", 42.0}}));
  EXPECT_FALSE(agrees("mcp-param-n", "42x", {{"n", 42}}));
  EXPECT_FALSE(
      agrees("mcp-param-n", "9007199254740993", {{"n", 9007199254740993}}));
  EXPECT_TRUE(agrees("mcp-param-b", "true", {{"b", true}}));
  EXPECT_FALSE(agrees("mcp-param-b", "True", {{"b", true}}));
  EXPECT_TRUE(agrees("x", "", {{"b", nullptr}}));
}

TEST(HeaderValue, IsDecodedStrictly) {
  EXPECT_EQ(decoded_header("plain"), "plain");
  EXPECT_EQ(decoded_header("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(decoded_header("=?base64?SGVsbG8?="), std::nullopt);
  EXPECT_EQ(decoded_header("=?base64?SGVs!G8=?="), std::nullopt);
  EXPECT_EQ(decoded_header("=?base64?/w==?="), std::nullopt);
  EXPECT_EQ(decoded_header("SGVsbG8=?="), "SGVsbG8=?=");
  EXPECT_EQ(decoded_header("=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
}

}  // namespace
}  // namespace lamarck::mcp
