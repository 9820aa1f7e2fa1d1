#include "lamarck/schema/json_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>
#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

JsonSchema compiled(const char* schema, const SchemaOptions& options = {}) {
  return JsonSchema::compile(Json::parse(schema), options).value();
}

std::vector<Violation> find_violations(const char* schema,
                                       const char* instance) {
  return compiled(schema).validate(Json::parse(instance)).value();
}

bool is_valid(const char* schema, const char* instance) {
  return find_violations(schema, instance).empty();
}

std::string compile_error(const char* schema) {
  const auto result = JsonSchema::compile(Json::parse(schema));
  return result ? "" : result.error().message();
}

TEST(JsonSchema, ViolationNamesPathValueAndBound) {
  const auto violations = find_violations(
      R"({"properties": {"limits": {"properties": {"a/b": {"maximum": 10}}}}})",
      R"({"limits": {"a/b": 12}})");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].instance_path, "/limits/a~1b");
  EXPECT_EQ(violations[0].schema_path,
            "/properties/limits/properties/a~1b/maximum");
  EXPECT_EQ(violations[0].message,
            "The number 12 is out of range; it must be at most 10.");
}

TEST(JsonSchema, ReportsAllViolationsOutermostFirst) {
  const auto violations = find_violations(
      R"({"required": ["name"], "properties": {
          "list": {"items": {"type": "integer"}}, "size": {"minimum": 1}}})",
      R"({"list": [1, "x", 2, null], "size": 0})");
  ASSERT_EQ(violations.size(), 4U);
  EXPECT_EQ(violations[0].instance_path, "");
  EXPECT_EQ(violations[1].instance_path, "/size");
  EXPECT_EQ(violations[2].instance_path, "/list/1");
  EXPECT_EQ(violations[3].instance_path, "/list/3");
}

TEST(JsonSchema, SuggestsClosestMemberName) {
  const char* schema = R"({"properties": {"colour": true, "size": true},
                           "additionalProperties": false})";
  EXPECT_EQ(
      find_violations(schema, R"({"color": 1})")[0].message,
      "The member 'color' is unknown; the closest known one is 'colour'.");
  EXPECT_EQ(find_violations(schema, R"({"weight": 1})")[0].message,
            "The member 'weight' is unknown; known members: 'colour', 'size'.");
}

TEST(JsonSchema, ReportsWhyEachAlternativeFails) {
  const auto violations = find_violations(
      R"({"anyOf": [{"type": "string"}, {"minimum": 5}]})", "3");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(
      violations[0].message,
      "The value 3 matches none of the 2 alternatives: (1) the value 3 has the "
      "wrong type; it must be a string, (2) the number 3 is out of "
      "range; it must be at least 5.");
}

TEST(JsonSchema, LimitsNumberOfViolations) {
  const auto schema =
      compiled(R"({"items": {"type": "string"}})", {.max_violations = 3});
  EXPECT_EQ(schema.validate(Json(std::vector<int>(100, 1)))->size(), 3U);
}

TEST(JsonSchema, CheckErrorBeginsWithSubject) {
  const auto schema = compiled(R"({"properties": {"n": {"type": "integer"}}})");
  EXPECT_TRUE(schema.check(Json{{"n", 1}}, "The plan"));
  const auto outcome = schema.check(Json{{"n", "x"}}, "The plan");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(outcome.error().message(),
            "The plan is not valid at /n: the value \"x\" has the wrong type; "
            "it must be an integer.");
  EXPECT_EQ(outcome.error().fields().at("instance_path"), "/n");
}

TEST(JsonSchema, RejectsInvalidKeywordValues) {
  EXPECT_EQ(compile_error(R"({"properties": {"a": {"minimum": "1"}}})"),
            "The schema is invalid at '/properties/a/minimum': it must be a "
            "number, got \"1\".");
  for (const char* schema : {R"({"type": "text"})",
                             R"({"type": []})",
                             R"({"required": "a"})",
                             R"({"required": ["a", "a"]})",
                             R"({"minLength": -1})",
                             R"({"maxItems": 1.5})",
                             R"({"multipleOf": 0})",
                             R"({"allOf": []})",
                             R"({"allOf": [1]})",
                             R"({"properties": []})",
                             R"({"not": 3})",
                             R"({"properties": {"a": 1}})",
                             R"({"enum": 1})",
                             R"({"pattern": 1})",
                             R"({"uniqueItems": 1})",
                             R"({"dependentRequired": {"a": ["b", 1]}})",
                             R"({"dependentRequired": {"a": "b"}})",
                             R"({"$ref": 1})",
                             R"({"$id": 1})",
                             R"({"$id": "a#b"})",
                             R"({"$anchor": 1})",
                             R"({"$schema": 1})",
                             R"({"$defs": {"unused": {"minimum": "x"}}})",
                             R"(1)"}) {
    EXPECT_NE(compile_error(schema), "") << schema;
  }
}

TEST(JsonSchema, RejectsUnresolvableReferences) {
  EXPECT_EQ(compile_error(R"({"items": {"$ref": "other.json"}})"),
            "The schema is invalid at '/items/$ref': 'other.json' does not "
            "lead to a schema; add its document or correct the reference.");
  EXPECT_NE(compile_error(R"({"$ref": "#/$defs/a"})"), "");
  EXPECT_NE(compile_error(R"({"$ref": "#a"})"), "");
}

TEST(JsonSchema, RejectsUnknownDialects) {
  EXPECT_NE(
      compile_error(R"({"$schema": "http://json-schema.org/draft-07/schema#"})")
          .find("draft-07"),
      std::string::npos);
  SchemaOptions options;
  options.documents["my:meta"] =
      Json::parse(R"({"$vocabulary": {"my:vocabulary": true}})");
  const auto outcome =
      JsonSchema::compile(Json{{"$schema", "my:meta"}}, options);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::Unsupported);
}

TEST(JsonSchema, ResolvesDocumentsByPlainNames) {
  SchemaOptions options;
  options.documents["point.json"] = Json::parse(R"({"minItems": 2})");
  const auto schema = compiled(R"({"items": {"$ref": "point.json"}})", options);
  const auto violations = schema.validate(Json::parse("[[1, 2], [3]]")).value();
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].schema_path, "point.json#/minItems");
}

TEST(JsonSchema, ComparesNumbersAsDecimals) {
  EXPECT_TRUE(is_valid(R"({"type": "integer"})", "1.0"));
  EXPECT_TRUE(is_valid(R"({"multipleOf": 0.01})", "19.99"));
  EXPECT_FALSE(
      is_valid(R"({"maximum": 9007199254740992})", "9007199254740993"));
  EXPECT_FALSE(
      is_valid(R"({"const": 9007199254740992.0})", "9007199254740993"));
  EXPECT_FALSE(is_valid(R"({"uniqueItems": true})", "[1, 2, 1.0]"));
  EXPECT_TRUE(is_valid(R"({"maximum": 18446744073709551615})", "-1"));
}

TEST(JsonSchema, ChecksFormatsOnlyIfEnabled) {
  const char* schema = R"({"format": "date"})";
  EXPECT_TRUE(is_valid(schema, R"("tomorrow")"));
  const auto strict = compiled(schema, {.check_formats = true});
  EXPECT_EQ(strict.validate("2024-02-29")->size(), 0U);
  EXPECT_EQ(
      strict.validate("tomorrow")->front().message,
      "The text \"tomorrow\" is not a valid date; write it like '2024-02-29'.");
}

TEST(JsonSchema, DetectsCircularReferences) {
  const auto outcome = compiled(R"({"anyOf": [{"$ref": "#"}]})").validate(1);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message().find("refers to itself"),
            std::string::npos);
  EXPECT_FALSE(compiled(R"({"not": {"$ref": "#"}})").validate(1));
}

TEST(JsonSchema, RejectsTooDeepInstances) {
  Json deep = 1;
  for (int i = 0; i < 100'000; ++i) {
    Json outer = Json::array();
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  const auto outcome = compiled(R"({"items": {"$ref": "#"}})").validate(deep);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::BudgetExceeded);
  Json pair = Json::array({1, 2});
  pair[0] = std::move(deep);
  EXPECT_FALSE(compiled(R"({"uniqueItems": true})").validate(pair));
}

TEST(JsonSchema, RejectsTooLargeSchemas) {
  Json deep = Json::object();
  for (int i = 0; i < 600; ++i) deep = Json{{"not", std::move(deep)}};
  EXPECT_FALSE(JsonSchema::compile(deep));
  Json wide = {{"allOf", Json::array()}};
  for (int i = 0; i < 100; ++i) wide["allOf"].push_back(Json{{"minimum", i}});
  EXPECT_TRUE(JsonSchema::compile(wide));
  EXPECT_FALSE(JsonSchema::compile(wide, {.max_subschemas = 100}));
  Json patterns = {{"allOf", Json::array()}};
  for (int i = 0; i < 300; ++i) {
    patterns["allOf"].push_back(Json{{"pattern", "^.{900}$"}});
  }
  EXPECT_FALSE(JsonSchema::compile(patterns));
}

// Level i refers twice to level i + 1, so there are 2^40 paths.
TEST(JsonSchema, StopsOnExponentialSchemas) {
  for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
    Json schema = {{"$ref", "#/$defs/0"}};
    for (int i = 0; i < 40; ++i) {
      const Json next = {{"$ref", "#/$defs/" + std::to_string(i + 1)}};
      schema["$defs"][std::to_string(i)] = {{keyword, {next, next}}};
    }
    schema["$defs"]["40"] = {
        {"minimum", keyword[0] == 'a' && keyword[1] == 'l' ? 0 : 5}};
    const auto outcome =
        JsonSchema::compile(schema, {.max_steps = 5'000})->validate(1);
    ASSERT_FALSE(outcome) << keyword;
    EXPECT_EQ(outcome.error().code(), ErrorCode::BudgetExceeded);
  }
}

TEST(JsonSchema, MatchesHostilePatternsInBoundedTime) {
  const auto schema = compiled(R"({"pattern": "^(a+)+(a|aa)+$"})");
  const Json text = std::string(100'000, 'a') + "!";
  EXPECT_EQ(schema.validate(text)->size(), 1U);
}

TEST(JsonSchema, FindsDuplicateAmongManyItems) {
  Json array = Json::array();
  for (int i = 0; i < 4'000; ++i) array.push_back(Json{{"id", i}});
  const auto schema = compiled(R"({"uniqueItems": true})");
  EXPECT_TRUE(schema.validate(array)->empty());
  array.push_back(Json{{"id", 7.0}});
  EXPECT_EQ(schema.validate(array)->front().message,
            "The items 7 and 4000 are both an object of 1 member; items must "
            "be unique.");
}

TEST(JsonSchema, ValidatesSchemasWithMetaSchema) {
  const auto meta =
      compiled(R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})");
  EXPECT_TRUE(
      meta.validate(Json::parse(R"({"items": {"type": "string"}})"))->empty());
  const auto violations =
      meta.validate(Json::parse(R"({"items": {"minLength": -1}})")).value();
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].instance_path, "/items/minLength");
}

TEST(JsonSchema, SupportsConcurrentValidation) {
  const auto schema = compiled(
      R"({"items": {"pattern": "^[a-z]+$", "anyOf": [{"maxLength": 3},
          {"minLength": 5}]}, "unevaluatedItems": false})");
  const Json good = Json::parse(R"(["abc", "abcdef"])");
  const Json bad = Json::parse(R"(["abcd", "A"])");
  std::vector<std::size_t> counts(4);
  std::vector<std::thread> threads;
  for (std::size_t& count : counts) {
    threads.emplace_back([&schema, &good, &bad, &count] {
      for (int i = 0; i < 200; ++i) {
        count += schema.validate(good)->size() + schema.validate(bad)->size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 400));
}

}  // namespace
}  // namespace lamarck::schema
