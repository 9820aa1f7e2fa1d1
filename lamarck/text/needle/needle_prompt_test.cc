#include "lamarck/text/needle/needle_prompt.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lamarck::text {
namespace {

llm::ChatRequest sample_request() {
  llm::ChatRequest request;
  request.messages = {{.role = llm::Role::System, .text = "Be kind."},
                      {.role = llm::Role::User, .text = "Find Ada"}};
  request.tools = {{.name = "users.findOne",
                    .description = "Finds a user.",
                    .parameters = R"({"type": "object", "properties": {"name": {
           "type": "string", "description": "Of the user."}},
           "required": ["name"]})"}};
  return request;
}

TEST(NeedlePrompt, HasTheFormOfTheTrainingData) {
  const NeedlePrompt prompt = make_needle_prompt(sample_request()).value();
  EXPECT_EQ(prompt.query, "Find Ada");
  EXPECT_EQ(prompt.tools,
            R"([{"name":"users_find_one","description":"Finds a user.",)"
            R"("parameters":{"name":{"type":"string",)"
            R"("description":"Of the user.","required":true}}}])");
  EXPECT_EQ(prompt.names, std::vector<std::string>{"users.findOne"});
}

TEST(NeedlePrompt, AddsResultsSinceTheLastRequest) {
  llm::ChatRequest request = sample_request();
  request.messages.push_back({.role = llm::Role::Tool,
                              .text = R"({"untrusted_result": {"id": "U7"}})"});
  const NeedlePrompt prompt = make_needle_prompt(request).value();
  EXPECT_NE(prompt.query.find(R"({"id":"U7"})"), std::string::npos);
  const auto& values = prompt.callable[0].parameters[0].values;
  EXPECT_NE(std::find(values.begin(), values.end(), "\"U7\""), values.end());
}

TEST(NeedlePrompt, KeepsNamesDistinct) {
  llm::ChatRequest request = sample_request();
  request.tools.push_back(request.tools[0]);
  request.tools[1].name = "users_find_one";
  const NeedlePrompt prompt = make_needle_prompt(request).value();
  EXPECT_EQ(prompt.callable[1].name, "users_find_one_2");
  EXPECT_EQ(prompt.names[1], "users_find_one");
}

TEST(NeedlePrompt, RefusesWhatTheModelCannotDo) {
  llm::ChatRequest request = sample_request();
  request.tools.clear();
  EXPECT_FALSE(make_needle_prompt(request));
  request = sample_request();
  request.tool_choice = llm::ToolChoice::None;
  EXPECT_FALSE(make_needle_prompt(request));
  request = sample_request();
  request.response_schema = llm::ResponseSchema{};
  EXPECT_FALSE(make_needle_prompt(request));
  request = sample_request();
  request.messages.pop_back();
  EXPECT_FALSE(make_needle_prompt(request));
  request = sample_request();
  request.messages.back().text = std::string(100'000, 'x');
  EXPECT_FALSE(make_needle_prompt(request));
  request = sample_request();
  request.tools[0].parameters = "[]";
  EXPECT_FALSE(make_needle_prompt(request));
}

TEST(NeedlePrompt, LeavesOutToolsThatRequireObjects) {
  llm::ChatRequest request = sample_request();
  request.tools.push_back(
      {.name = "plan",
       .description = "",
       .parameters = R"({"properties": {"steps": {"type": "object"}},
                         "required": ["steps"]})"});
  EXPECT_EQ(make_needle_prompt(request)->names,
            std::vector<std::string>{"users.findOne"});
  request.tools.erase(request.tools.begin());
  const auto prompt = make_needle_prompt(request);
  ASSERT_FALSE(prompt);
  EXPECT_NE(prompt.error().message().find("'steps'"), std::string::npos);
}

TEST(NeedlePrompt, ConvertsNamesToSnakeCase) {
  EXPECT_EQ(snake_case("getWeather.now"), "get_weather_now");
  EXPECT_EQ(snake_case("HTTPGet2Items"), "http_get2_items");
  EXPECT_EQ(snake_case("__a--b__"), "a_b");
  EXPECT_EQ(snake_case("?"), "tool");
}

}  // namespace
}  // namespace lamarck::text
