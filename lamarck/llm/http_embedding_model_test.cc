#include "lamarck/llm/http_embedding_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/llm/scripted_server_fixture.h"

namespace lamarck::llm {
namespace {

using Vectors = std::vector<std::vector<float>>;

Result<EmbeddingReply> embed(const ScriptedServer& server,
                             const std::vector<std::string>& texts) {
  SystemClock clock;
  const auto endpoint =
      ModelEndpoint::open({.base_url = server.base_url(), .attempts = 1}, clock)
          .value();
  return HttpEmbeddingModel::open(
             {.model = "e", .price = ModelPrice{.input = 1}}, endpoint)
      .value()
      ->embed(texts, {});
}

TEST(HttpEmbeddingModel, ReturnsVectorsInOrderOfTexts) {
  const ScriptedServer server({http_scene(
      200,
      R"({"data":[{"index":1,"embedding":[3,4]},)"
      R"({"index":0,"embedding":[1,2.5]}],"usage":{"prompt_tokens":6}})")});
  const auto reply = embed(server, {"a", "b"});
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->vectors, (Vectors{{1, 2.5}, {3, 4}}));
  EXPECT_EQ(reply->usage, TokenUsage{.tokens_in = 6});
  EXPECT_EQ(reply->money_micros, 6);
  const Json sent = parse_json(server.requests().at(0).body).value();
  EXPECT_EQ(sent["input"], Json::array({"a", "b"}));
}

TEST(HttpEmbeddingModel, RejectsInvalidVectors) {
  for (
      const char* body : {
          "",
          "[]",
          "{}",
          R"({"data":[]})",
          R"({"data":[1,2]})",
          R"({"data":[{"embedding":[1]},{"embedding":[1,2]}]})",
          R"({"data":[{"embedding":[1]},{"embedding":["x"]}]})",
          R"({"data":[{"embedding":[1]},{"embedding":[1e300]}]})",
          R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
          R"({"data":[{"index":0,"embedding":[1]},{"index":9,"embedding":[1]}]})",
      }) {
    const ScriptedServer server({http_scene(200, body)});
    const auto reply = embed(server, {"a", "b"});
    ASSERT_FALSE(reply) << body;
    EXPECT_EQ(reply.error().code(), ErrorCode::Unavailable) << body;
    EXPECT_TRUE(reply.error().fields().contains("tokens_in"));
  }
}

TEST(HttpEmbeddingModel, RejectedCallCostsNothing) {
  const ScriptedServer server({http_scene(401, "no")});
  const auto reply = embed(server, {"a"});
  EXPECT_EQ(reply.error().code(), ErrorCode::Unauthenticated);
  EXPECT_FALSE(reply.error().fields().contains("tokens_in"));
}

}  // namespace
}  // namespace lamarck::llm
