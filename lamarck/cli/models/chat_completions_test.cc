#include "lamarck/cli/models/chat_completions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/cli/models/model_service.h"
#include "lamarck/llm/http_chat_model.h"

namespace lamarck::cli {
namespace {

// Calls the first tool with what the user said.
class EchoCaller : public llm::ChatModel {
 public:
  const std::string& name() const override { return name_; }
  const std::optional<llm::ModelPrice>& price() const override {
    return price_;
  }
  Result<llm::ChatReply> complete(const llm::ChatRequest& request,
                                  const CancelToken&) override {
    if (request.tools.empty()) return invalid_argument("It needs tools.");
    llm::ChatReply reply;
    reply.tool_calls = {
        {.id = "call_1",
         .name = request.tools[0].name,
         .arguments = dump_json(Json{{"text", request.messages.back().text}})}};
    reply.finish = llm::FinishReason::ToolCalls;
    reply.usage = {.tokens_in = 12, .tokens_out = 5};
    return reply;
  }
  Result<llm::ChatReply> stream(const llm::ChatRequest& request, const OnText&,
                                const CancelToken& cancel) override {
    return complete(request, cancel);
  }

 private:
  std::string name_ = "echo";
  std::optional<llm::ModelPrice> price_;
};

net::HttpReply chat(const std::string& body) {
  const ServedModels models{.chat = std::make_shared<EchoCaller>()};
  const ManualClock clock;
  net::HttpRequest request;
  request.method = "POST";
  request.path = "/v1/chat/completions";
  request.body = body;
  return answer_model_request(request, models, clock, {});
}

constexpr const char* kTools =
    R"("tools": [{"type": "function", "function": {"name": "say"}},
                 {"type": "function", "function": {"name": "sing"}}])";

std::string body_with(const std::string& more) {
  return R"({"messages": [{"role": "user", "content": "hi"}], )" +
         std::string(kTools) + more + "}";
}

TEST(ChatCompletions, ServesCallsThatAnHttpChatModelReads) {
  SystemClock clock;
  ModelService service({.chat = std::make_shared<EchoCaller>()}, clock);
  const auto server = net::HttpServer::start({}, [&](net::HttpRequest request,
                                                     const auto& exchange) {
                        service.serve(std::move(request), exchange);
                      }).value();
  llm::EndpointOptions options;
  options.base_url =
      "http://127.0.0.1:" + std::to_string(server->port()) + "/v1";
  const auto endpoint = llm::ModelEndpoint::open(options, clock).value();
  const auto model =
      llm::HttpChatModel::open({.model = "echo"}, endpoint).value();
  llm::ChatRequest request;
  request.messages = {{.role = llm::Role::User, .text = "hello"}};
  request.tools = {{.name = "say", .description = "", .parameters = "{}"}};
  for (const bool is_streamed : {false, true}) {
    const auto reply = is_streamed
                           ? model->stream(request, [](std::string_view) {}, {})
                           : model->complete(request, {});
    ASSERT_TRUE(reply) << reply.error().message();
    ASSERT_EQ(reply->tool_calls.size(), 1u);
    EXPECT_EQ(reply->tool_calls[0].name, "say");
    EXPECT_EQ(reply->tool_calls[0].arguments, R"({"text":"hello"})");
    EXPECT_EQ(reply->finish, llm::FinishReason::ToolCalls);
    EXPECT_EQ(reply->usage.tokens_in, 12);
    EXPECT_EQ(reply->usage.tokens_out, 5);
  }
}

TEST(ChatCompletions, AToolChoiceLeavesOneTool) {
  const auto reply = chat(body_with(
      R"(, "tool_choice": {"type": "function", "function": {"name": "sing"}})"));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json body = parse_json(reply.body).value();
  const Json& choice = body["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_EQ(choice["message"]["tool_calls"][0]["function"]["name"], "sing");
  EXPECT_EQ(body["usage"]["total_tokens"], 17);
}

TEST(ChatCompletions, ReadsMessagesOfAllRoles) {
  const auto request = parse_chat_completion(
      R"({"messages": [{"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "a"},
                                     {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1",
          "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "7"}],
        "max_completion_tokens": 9, "stream": true})",
      "echo");
  ASSERT_TRUE(request) << request.error().message();
  const auto& messages = request->chat.messages;
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].text, "ab");
  EXPECT_EQ(messages[2].tool_calls[0].name, "f");
  EXPECT_EQ(messages[3].tool_call_id, "c1");
  EXPECT_EQ(request->chat.max_tokens, 9);
  EXPECT_TRUE(request->is_stream);
}

TEST(ChatCompletions, RefusesWrongRequests) {
  for (const std::string& body : {
           std::string(),
           std::string("[]"),
           std::string("{}"),
           std::string(R"({"messages": []})"),
           std::string(R"({"messages": [7]})"),
           std::string(R"({"messages": [{"content": "a"}]})"),
           std::string(R"({"messages": [{"role": "king", "content": "a"}]})"),
           std::string(R"({"messages": [{"role": "user", "content": "a"}]})"),
           std::string(R"({"messages": [{"role": "user", "content":
                          [{"type": "image_url"}]}]})"),
           body_with(R"(, "tool_choice": "all")"),
           body_with(R"(, "tool_choice": {"function": {"name": "dance"}})"),
           body_with(R"(, "n": 2)"),
           body_with(R"(, "max_tokens": 0)"),
           body_with(R"(, "stream": "yes")"),
           std::string(R"({"messages": [{"role": "user"}], "tools": [{"type":
                          "code"}]})"),
       }) {
    const net::HttpReply reply = chat(body);
    EXPECT_EQ(reply.status, 400) << body;
    const Json error = parse_json(reply.body).value()["error"];
    EXPECT_FALSE(error["message"].get<std::string>().empty());
  }
  EXPECT_EQ(chat(body_with(R"(, "model": "gpt")")).status, 404);
}

}  // namespace
}  // namespace lamarck::cli
