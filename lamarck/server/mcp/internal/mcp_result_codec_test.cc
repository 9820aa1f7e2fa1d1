#include "lamarck/server/mcp/internal/mcp_result_codec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

constexpr std::string_view kMeta = R"("_meta":{"s":1})";

TEST(ResultCodec, AddsModernMembers) {
  EXPECT_EQ(modern_result(R"({"a":1})", "", kMeta),
            R"({"resultType":"complete","a":1,"_meta":{"s":1}})");
  EXPECT_EQ(modern_result("{}", R"("ttlMs":0)", kMeta),
            R"({"resultType":"complete","ttlMs":0,"_meta":{"s":1}})");
  EXPECT_EQ(modern_result("{\n  \"a\": 1\n}", "", ""),
            R"({"resultType":"complete","a": 1 })");
}

TEST(ResultCodec, MergesMetaOfResult) {
  const Json merged = Json::parse(
      modern_result(R"({"a":{"_meta":{}},"_meta":{"own":2}})", "", kMeta));
  EXPECT_EQ(merged["_meta"], Json({{"own", 2}, {"s", 1}}));
  EXPECT_EQ(merged["resultType"], "complete");
  const Json inner =
      Json::parse(modern_result(R"({"a":{"_meta":{}}})", "", kMeta));
  EXPECT_EQ(inner["_meta"], Json({{"s", 1}}));
}

TEST(ResultCodec, LegacyStructuredContentIsObject) {
  EXPECT_EQ(Json::parse(legacy_result(
                R"({"content":[],"structuredContent":[1]})", "2025-11-25")),
            Json::parse(R"({"content":[{"type":"text","text":"[1]"}]})"));
  const std::string fine = R"({"content":[],"structuredContent":{"a":1}})";
  EXPECT_EQ(legacy_result(fine, "2025-11-25"), fine);
}

TEST(ResultCodec, DowngradesBlocksOfOldPrompts) {
  const Json result = Json::parse(
      legacy_result(R"({"messages":[{"role":"user","content":)"
                    R"({"type":"resource_link","uri":"u","name":"n"}}]})",
                    "2024-11-05"));
  EXPECT_EQ(result["messages"][0]["content"]["text"], "n: u");
}

TEST(ResultCodec, RecognizesAnswersByMethod) {
  const Json form = {{"action", "accept"}};
  const Json thought = {{"role", "assistant"}, {"content", Json::object()}};
  const Json roots = {{"roots", Json::array()}};
  EXPECT_TRUE(is_answer_to(form, "elicitation/create"));
  EXPECT_TRUE(is_answer_to(thought, "sampling/createMessage"));
  EXPECT_TRUE(is_answer_to(roots, "roots/list"));
  EXPECT_FALSE(is_answer_to(form, "roots/list"));
  EXPECT_FALSE(is_answer_to(thought, "elicitation/create"));
  EXPECT_FALSE(is_answer_to({{"action", "maybe"}}, ""));
  EXPECT_FALSE(is_answer_to(3, ""));
}

}  // namespace
}  // namespace lamarck::mcp
