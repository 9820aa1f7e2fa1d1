#include "lamarck/text/needle/call_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lamarck::text {
namespace {

Json schema(std::string_view text) { return parse_json(text).value(); }

ValueLiterals literals() {
  ValueLiterals found;
  found.add_request("Book 3 nights in Oslo for Ada Lovelace");
  return found;
}

CallTool booking() {
  return make_call_tool("book", schema(R"({"type": "object", "properties": {
      "city": {"type": "string"}, "guest": {"type": "string"},
      "nights": {"type": "integer"},
      "class": {"type": "string", "enum": ["low", "high"]}},
      "required": ["city", "guest", "nights"]})"),
                        literals())
      .value();
}

bool accepts(const CallGrammar& grammar, std::string_view text) {
  const auto end = grammar.advance({}, text);
  return end && CallGrammar::is_end(*end);
}

TEST(CallGrammar, AcceptsOnlyKnownNamesKeysTypesAndValues) {
  const CallGrammar grammar({booking()}, {});
  const auto call = [](const std::string& arguments) {
    return R"([{"name":"book","arguments":{)" + arguments + "}}]";
  };
  const std::string good = R"("city":"Oslo","guest":"Ada Lovelace","nights":3)";
  EXPECT_TRUE(accepts(grammar, call(good)));
  EXPECT_TRUE(accepts(grammar, " " + call(good)));
  EXPECT_TRUE(accepts(grammar, call(good + R"(,"class":"high")")));
  EXPECT_TRUE(accepts(grammar, "[]"));
  for (const std::string& wrong : {
           call(R"("city":"Oslo","guest":"Ada Lovelace")"),
           call(R"("city":"Rome","guest":"Ada Lovelace","nights":3)"),
           call(R"("city":"Oslo","guest":"Ada Lovelace","nights":4)"),
           call(R"("city":"Oslo","guest":"Ada Lovelace","nights":"3")"),
           call(good + R"(,"class":"middle")"),
           call(good + R"(,"else":"high")"),
           call(good) + "x",
           std::string(R"([{"name":"boo","arguments":{}}])"),
       }) {
    EXPECT_FALSE(accepts(grammar, wrong)) << wrong;
  }
}

TEST(CallGrammar, LimitsTheNumberOfCalls) {
  const CallTool stop{.name = "stop", .parameters = {}};
  const std::string one = R"({"name":"stop","arguments":{}})";
  const CallGrammar single({stop}, {.must_call = true});
  EXPECT_TRUE(accepts(single, "[" + one + "]"));
  EXPECT_FALSE(accepts(single, "[" + one + "," + one + "]"));
  EXPECT_FALSE(accepts(single, "[]"));
  const CallGrammar two({stop}, {.max_calls = 2});
  EXPECT_TRUE(accepts(two, "[" + one + "," + one + "]"));
  EXPECT_FALSE(accepts(two, "[" + one + "," + one + "," + one + "]"));
}

TEST(CallGrammar, LeavesOutToolsWithoutValuesForRequiredParameters) {
  ValueLiterals none;
  none.add_request("hello");
  const CallTool tool =
      make_call_tool("wait", schema(R"({"properties": {"seconds":
          {"type": "number"}}, "required": ["seconds"]})"),
                     none)
          .value();
  EXPECT_FALSE(CallGrammar({tool}, {.must_call = true}).is_possible());
  EXPECT_TRUE(CallGrammar({tool}, {}).is_possible());
}

TEST(CallGrammar, WritesLists) {
  const CallTool tool =
      make_call_tool("greet", schema(R"({"properties": {"names": {
          "type": "array", "items": {"type": "string"}}},
          "required": ["names"]})"),
                     literals())
          .value();
  const CallGrammar grammar({tool}, {});
  const std::string head = R"([{"name":"greet","arguments":{"names":)";
  EXPECT_TRUE(accepts(grammar, head + R"(["Oslo"]}}])"));
  EXPECT_TRUE(accepts(grammar, head + R"(["Oslo","Ada Lovelace"]}}])"));
  EXPECT_FALSE(accepts(grammar, head + R"(["Rome"]}}])"));
  EXPECT_FALSE(accepts(grammar, head + R"("Oslo"}}])"));
}

TEST(CallGrammar, AcceptsEscapedCharacters) {
  ValueLiterals found;
  found.add_request("Weather in Gen\xC3\xA8ve");
  const CallTool tool = make_call_tool("look", schema(R"({"properties": {"city":
          {"type": "string"}}, "required": ["city"]})"),
                                       found)
                            .value();
  const CallGrammar grammar({tool}, {});
  const std::string head = R"([{"name":"look","arguments":{"city":")";
  EXPECT_TRUE(accepts(grammar, head + R"(Gen\u00e8ve"}}])"));
  EXPECT_TRUE(accepts(grammar, head + "Gen\xC3\xA8ve\"}}]"));
}

TEST(CallGrammar, UsesWordsOnce) {
  CallGrammar grammar({booking()}, {});
  const auto at = grammar.advance(
      {}, R"([{"name":"book","arguments":{"city":"Ada Lovelace","guest":")");
  ASSERT_TRUE(at);
  grammar.use_up_last_value(*at);
  EXPECT_TRUE(grammar.advance(*at, R"(Oslo","nights":3}}])"));
  EXPECT_FALSE(grammar.advance(*at, R"(Ada Lovelace","nights":3}}])"));
  EXPECT_FALSE(grammar.advance(*at, R"(Ada","nights":3}}])"));
}

TEST(CallGrammar, RefusesRequiredObjects) {
  const auto tool =
      make_call_tool("f", schema(R"({"properties": {"a": {"type": "object"}},
                      "required": ["a"]})"),
                     {});
  ASSERT_FALSE(tool);
  EXPECT_NE(tool.error().message().find("'a'"), std::string::npos);
  EXPECT_TRUE(make_call_tool(
      "f", schema(R"({"properties": {"a": {"type": "object"}}})"), {}));
}

bool has_text(const ValueLiterals& found, std::string_view text) {
  return std::ranges::find(found.texts, text) != found.texts.end();
}

TEST(ValueLiterals, FindsNamesNumbersAndClauses) {
  ValueLiterals found;
  found.add_request(
      "Send 'see you, then' to ana@example.org at Bank of America, pay "
      "$1,200.50 "
      "from March's budget and write: the train to Rome is late.");
  for (const char* text :
       {"see you, then", "ana@example.org", "Bank of America", "March",
        "the train to Rome is late", "Rome"}) {
    EXPECT_TRUE(has_text(found, text)) << text;
  }
  for (const char* text :
       {"", "to", "ana@example.org at Bank", "the train to", "America, pay"}) {
    EXPECT_FALSE(has_text(found, text)) << text;
  }
  EXPECT_EQ(found.numbers, std::vector<std::string>{"1200.50"});
}

TEST(ValueLiterals, ReadsNumberWordsButNoLeadingZeros) {
  ValueLiterals found;
  found.add_request("three of 007 cost -4.5 or 30%");
  EXPECT_EQ(found.numbers, (std::vector<std::string>{"3", "-4.5", "30"}));
}

TEST(ValueLiterals, TakesTheLeavesOfResults) {
  ValueLiterals found;
  found.add_result(schema(R"({"a": ["x y", 7], "b": {"c": 1.5, "d": null}})"));
  EXPECT_TRUE(has_text(found, "x y"));
  EXPECT_EQ(found.numbers, (std::vector<std::string>{"7", "1.5"}));
}

}  // namespace
}  // namespace lamarck::text
