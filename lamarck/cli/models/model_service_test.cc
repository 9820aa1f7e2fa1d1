#include "lamarck/cli/models/model_service.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/llm/http_embedding_model.h"
#include "lamarck/text/endpoint_embedder.h"
#include "lamarck/text/lexical_embedder.h"

namespace lamarck::cli {
namespace {

net::HttpReply answer(std::string method, std::string path,
                      std::string body = "") {
  const ServedModels models{.embedder =
                                std::make_shared<text::LexicalEmbedder>()};
  const ManualClock clock;
  net::HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  return answer_model_request(request, models, clock, {});
}

Json parsed(const net::HttpReply& reply) {
  return parse_json(reply.body).value();
}

TEST(ModelService, ServesVectorsThatAnEndpointEmbedderReads) {
  SystemClock clock;
  ModelService service({.embedder = std::make_shared<text::LexicalEmbedder>()},
                       clock);
  const auto server = net::HttpServer::start({}, [&](net::HttpRequest request,
                                                     const auto& exchange) {
                        service.serve(std::move(request), exchange);
                      }).value();
  llm::EndpointOptions options;
  options.base_url =
      "http://127.0.0.1:" + std::to_string(server->port()) + "/v1";
  const auto endpoint = llm::ModelEndpoint::open(options, clock).value();
  std::shared_ptr<llm::EmbeddingModel> model =
      llm::HttpEmbeddingModel::open({.model = "lexical-1", .price = {}},
                                    endpoint)
          .value();
  const auto remote = text::EndpointEmbedder::open(model, {}, {}).value();
  EXPECT_EQ(remote->dimensions(), text::LexicalEmbedder::kDimensions);
  const std::vector<std::string> texts = {"convert a file", "", "天气"};
  const auto vectors = remote->embed(texts, {}).value();
  const auto expected = text::LexicalEmbedder().embed(texts, {}).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t k = 0; k < vectors[i].size(); ++k) {
      EXPECT_NEAR(vectors[i][k], expected[i][k], 1e-6);
    }
  }
}

TEST(ModelService, ListsItsModel) {
  const net::HttpReply reply = answer("GET", "/v1/models");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(parsed(reply)["data"][0]["id"], "lexical-1");
}

TEST(ModelService, EncodesVectorsInBase64OnRequest) {
  const net::HttpReply reply =
      answer("POST", "/v1/embeddings",
             R"({"input": "", "encoding_format": "base64"})");
  ASSERT_EQ(reply.status, 200);
  const std::string text = parsed(reply)["data"][0]["embedding"];
  // 2,048 bytes of zeros; the last group has two bytes.
  EXPECT_EQ(text, std::string(2731, 'A') + "=");
}

TEST(ModelService, RefusesWrongRequests) {
  struct Case {
    const char* body;
    int status;
  };
  for (const Case& one :
       {Case{"", 400}, Case{"[]", 400}, Case{"{}", 400},
        Case{R"({"input": []})", 400}, Case{R"({"input": [1]})", 400},
        Case{R"({"input": "a", "model": "gpt"})", 404},
        Case{R"({"input": "a", "model": 7})", 400},
        Case{R"({"input": "a", "encoding_format": "hex"})", 400}}) {
    const net::HttpReply reply = answer("POST", "/v1/embeddings", one.body);
    EXPECT_EQ(reply.status, one.status) << one.body;
    EXPECT_FALSE(parsed(reply)["error"]["message"].get<std::string>().empty());
  }
  EXPECT_EQ(answer("GET", "/v1/embeddings").status, 405);
  const net::HttpReply chat = answer("POST", "/v1/chat/completions");
  EXPECT_EQ(chat.status, 404);
  EXPECT_NE(chat.body.find("lamarck models serve needle"), std::string::npos);
  EXPECT_EQ(answer("GET", "/v1/chat/completions").status, 405);
  EXPECT_EQ(answer("POST", "/v1/completions").status, 404);
}

}  // namespace
}  // namespace lamarck::cli
