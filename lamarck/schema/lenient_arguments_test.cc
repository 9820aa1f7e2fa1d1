#include "lamarck/schema/lenient_arguments.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

Json lenient(const char* arguments, const char* properties) {
  return lenient_arguments(Json::parse(arguments),
                           Json{{"properties", Json::parse(properties)}});
}

TEST(LenientArguments, ConvertsStringsToExpectedTypes) {
  EXPECT_EQ(lenient(R"({"n": "3", "m": "4.0", "x": "-0.5", "b": "true"})",
                    R"({"n": {"type": "integer"}, "m": {"type": "integer"},
                        "x": {"type": "number"},
                        "b": {"type": ["boolean", "null"]}})"),
            Json::parse(R"({"n": 3, "m": 4, "x": -0.5, "b": true})"));
}

TEST(LenientArguments, KeepsInexactSpellings) {
  const char* arguments =
      R"({"n": "3.5", "m": " 3", "x": "3p", "b": "True", "e": "", "f": "0x"})";
  EXPECT_EQ(lenient(arguments,
                    R"({"n": {"type": "integer"}, "m": {"type": "integer"},
                        "x": {"type": "number"}, "b": {"type": "boolean"},
                        "e": {"type": "number"}, "f": {"type": "number"}})"),
            Json::parse(arguments));
}

TEST(LenientArguments, KeepsStringsThatSchemaAllows) {
  const char* arguments =
      R"({"s": "3", "u": "true", "other": "4", "a": "[1]"})";
  EXPECT_EQ(lenient(arguments,
                    R"({"s": {"type": ["integer", "string"]}, "u": {},
                        "a": {"type": "string"}})"),
            Json::parse(arguments));
}

TEST(LenientArguments, ConvertsArraysAndObjectsRecursively) {
  EXPECT_EQ(lenient(R"({"list": "[1, \"2\"]", "object": "{\"n\": \"5\"}"})",
                    R"({"list": {"type": "array", "items": {"type": "integer"}},
                  "object": {"type": "object",
                             "properties": {"n": {"type": "number"}}}})"),
            Json::parse(R"({"list": [1, 2], "object": {"n": 5}})"));
}

TEST(LenientArguments, ConvertsMembersAndItems) {
  EXPECT_EQ(lenient(R"({"rows": [{"n": "1"}, {"n": 2}]})",
                    R"({"rows": {"items": {"properties":
                        {"n": {"type": "integer"}}}}})"),
            Json::parse(R"({"rows": [{"n": 1}, {"n": 2}]})"));
}

TEST(LenientArguments, KeepsArgumentsWithoutUsableSchema) {
  const Json arguments = Json::parse(R"({"n": "1"})");
  for (const char* schema :
       {"true", "{}", R"({"properties": 3})", R"({"properties": {"n": 3}})",
        R"({"properties": {"n": {"type": 3}}})", "null"}) {
    EXPECT_EQ(lenient_arguments(arguments, Json::parse(schema)), arguments);
  }
}

}  // namespace
}  // namespace lamarck::schema
