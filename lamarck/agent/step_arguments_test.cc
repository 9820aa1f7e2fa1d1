#include "lamarck/agent/step_arguments.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::agent {
namespace {

const StepValues kValues{.params = {{"city", "Bern"}},
                         .results = {{{"id", 7}, {"rows", {{{"x", "a"}}}}}}};

Result<Json> filled(std::string_view text) {
  return fill_arguments(parse_json(text).value(), kValues);
}

TEST(StepArguments, FillsReferences) {
  EXPECT_EQ(filled(R"({"a": {"$param": "city"}, "b": [1,
                   {"$result": {"step": 1, "path": "/rows/0/x"}}]})")
                .value(),
            Json::parse(R"({"a": "Bern", "b": [1, "a"]})"));
  EXPECT_EQ(filled(R"({"$result": {"step": 1}})").value(), kValues.results[0]);
}

TEST(StepArguments, KeepsLiteralsAndConstants) {
  EXPECT_EQ(filled(R"({"a": {"$literal": {"$param": "city"}}})").value(),
            Json::parse(R"({"a": {"$param": "city"}})"));
  EXPECT_EQ(filled(R"({"$param": "city", "more": 1})").value(),
            Json::parse(R"({"$param": "city", "more": 1})"));
}

TEST(StepArguments, RefusesMissingValues) {
  for (const char* text :
       {R"({"$param": "town"})", R"({"$param": 1})",
        R"({"$result": {"step": 2}})", R"({"$result": {"step": 0}})",
        R"({"$result": {"step": 1, "path": "/none"}})",
        R"({"$result": {"step": 1, "path": "id"}})",
        R"({"$result": {"step": 1, "path": "/rows/x"}})",
        R"({"$result": 1})"}) {
    EXPECT_FALSE(filled(text)) << text;
  }
}

}  // namespace
}  // namespace lamarck::agent
