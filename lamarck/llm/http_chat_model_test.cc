#include "lamarck/llm/http_chat_model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/llm/scripted_server_fixture.h"

namespace lamarck::llm {
namespace {

using namespace std::chrono_literals;

constexpr const char* kKey = "sk-a-very-secret-key";

const ChatRequest kRequest{.messages = {{Role::User, "hello"}},
                           .max_tokens = 100};

// A server, a model that uses it, and a clock.
struct Stage {
  explicit Stage(std::vector<ServerScene> scenes, EndpointOptions options = {})
      : server(std::move(scenes)) {
    options.base_url = server.base_url();
    options.api_key = kKey;
    options.first_pause = 1ms;
    model = HttpChatModel::open(
                {.model = "m", .price = ModelPrice{.input = 1, .output = 2}},
                ModelEndpoint::open(options, clock).value())
                .value();
  }
  Result<ChatReply> ask() { return model->complete(kRequest, {}); }

  SystemClock clock;
  ScriptedServer server;
  std::unique_ptr<HttpChatModel> model;
};

Error failure_of(std::vector<ServerScene> scenes,
                 EndpointOptions options = {}) {
  return Stage(std::move(scenes), options).ask().error();
}

TEST(HttpChatModel, SendsRequestAndCountsUsage) {
  Stage stage({chat_scene("hi there")});
  const auto reply = stage.ask();
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->text, "hi there");
  EXPECT_EQ(reply->usage, (TokenUsage{.tokens_in = 7, .tokens_out = 5}));
  EXPECT_EQ(reply->money_micros, 17);

  const ServerRequest request = stage.server.requests().at(0);
  EXPECT_TRUE(request.head.starts_with("POST /v1/chat/completions "));
  EXPECT_NE(request.head.find(std::string("Authorization: Bearer ") + kKey),
            std::string::npos);
  EXPECT_EQ(request.body.find(kKey), std::string::npos);
}

constexpr std::string_view kTwoCalls = R"({"choices":[{"message":{
  "content":null,"tool_calls":[
  {"id":"a","type":"function","function":{"name":"add","arguments":"{\"x\":1}"}},
  {"id":"b","type":"function","function":{"name":"sub","arguments":{"x":2}}}]},
  "finish_reason":"tool_calls"}],
  "usage":{"prompt_tokens":3,"completion_tokens":4}})";

TEST(HttpChatModel, SendsToolsAndReadsParallelCalls) {
  Stage stage({http_scene(200, kTwoCalls)});
  ChatRequest request = kRequest;
  request.tools = {{"add", "Adds.", R"({"type":"object"})"}};
  request.tool_choice = ToolChoice::Required;
  request.response_schema = {{"answer", R"({"type":"integer"})"}};
  request.messages.push_back({.role = Role::Assistant,
                              .text = "",
                              .tool_calls = {{"z", "add", "{}"}}});
  request.messages.push_back(
      {.role = Role::Tool, .text = "7", .tool_call_id = "z"});
  const auto reply = stage.model->complete(request, {});

  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->finish, FinishReason::ToolCalls);
  EXPECT_EQ(reply->tool_calls,
            (std::vector<ChatToolCall>{{"a", "add", R"({"x":1})"},
                                       {"b", "sub", R"({"x":2})"}}));
  const std::string body = stage.server.requests().at(0).body;
  for (const char* part :
       {R"("tool_call_id":"z")", R"("tool_choice":"required")",
        R"("role":"tool")", R"("response_format":)", R"("parameters":)",
        R"("content":null)"}) {
    EXPECT_NE(body.find(part), std::string::npos) << part << " in " << body;
  }
}

TEST(HttpChatModel, StreamsToolCallsForAnySplitOfBytes) {
  std::string text;
  for (
      const char* delta :
      {R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":""}}]})",
       R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]})",
       R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"sub","arguments":"{}"}}]})",
       R"({"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]})"}) {
    text += std::string(R"(data: {"choices":[{"delta":)") + delta + "}]}\n\n";
  }
  text += R"(data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]})";
  text += "\n\ndata: [DONE]\n\n";
  for (const std::size_t size : {0u, 1u, 7u}) {
    ServerScene scene =
        http_scene(200, text, "Content-Type: text/event-stream\r\n");
    scene.steps[0].piece_size = size;
    Stage stage({scene});
    const auto reply =
        stage.model->stream(kRequest, [](std::string_view) {}, {});
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->tool_calls,
              (std::vector<ChatToolCall>{{"a", "add", R"({"x":1})"},
                                         {"b", "sub", "{}"}}));
  }
}

TEST(HttpChatModel, ReusesConnection) {
  Stage stage({chat_scene("hi")});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(stage.ask());
  EXPECT_EQ(stage.server.connection_count(), 1u);
}

TEST(HttpChatModel, StreamsForAnySplitOfBytes) {
  for (const std::size_t size : {0u, 1u, 7u}) {
    ServerScene scene = stream_scene({"Hel", "lo \xe2\x82\xac", "!"});
    scene.steps[0].piece_size = size;
    Stage stage({scene});
    std::string received;
    const auto reply = stage.model->stream(
        kRequest, [&](std::string_view piece) { received += piece; }, {});
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->text, "Hello \xe2\x82\xac!");
    EXPECT_EQ(received, reply->text);
    EXPECT_EQ(reply->usage.tokens_out, 5);
  }
}

TEST(HttpChatModel, StopsAtEndOfStreamIfConnectionStaysOpen) {
  ServerScene scene = stream_scene({"done"});
  scene.steps.push_back({.wait = 60s, .bytes = "\n"});
  Stage stage({scene});
  EXPECT_TRUE(stage.model->stream(kRequest, [](std::string_view) {}, {}));
}

TEST(HttpChatModel, EstimatesMissingUsage) {
  Stage stage(
      {http_scene(200, R"({"choices":[{"message":{"content":"four"}}]})")});
  const auto reply = stage.ask();
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->usage.is_estimated);
  EXPECT_EQ(reply->usage.tokens_out, 2);
}

TEST(HttpChatModel, RetriesAfterBusyAndServerErrors) {
  Stage stage({http_scene(429, "slow down", "Retry-After: 0.01\r\n"),
               http_scene(500, "oops"), http_scene(503, ""),
               chat_scene("at last")});
  const auto reply = stage.ask();
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->text, "at last");
  EXPECT_EQ(reply->attempts, 4);
}

TEST(HttpChatModel, FailsAfterMaxAttempts) {
  Stage stage({http_scene(500, R"({"error":{"message":"on fire"}})")},
              {.attempts = 3});
  const auto reply = stage.ask();
  EXPECT_EQ(reply.error().code(), ErrorCode::Unavailable);
  EXPECT_NE(reply.error().message().find("status 500: on fire."),
            std::string::npos)
      << reply.error().message();
  EXPECT_EQ(stage.server.requests().size(), 3u);
}

TEST(HttpChatModel, DoesNotWaitBeyondDeadline) {
  Stage stage({http_scene(429, "", "Retry-After: 3600\r\n")}, {.timeout = 5s});
  const auto reply = stage.ask();
  EXPECT_NE(reply.error().message().find("asks to wait 1 h"), std::string::npos)
      << reply.error().message();
  EXPECT_EQ(stage.server.requests().size(), 1u);
}

TEST(HttpChatModel, RetryAfterMayBeADate) {
  Stage stage(
      {http_scene(429, "", "Retry-After: Sat, 01 Jan 2050 00:00:00 GMT\r\n")},
      {.timeout = 5s});
  const auto reply = stage.ask();
  EXPECT_NE(reply.error().message().find("asks to wait"), std::string::npos)
      << reply.error().message();
  EXPECT_EQ(stage.server.requests().size(), 1u);
}

TEST(HttpChatModel, LaterCallsAlsoObeyRetryAfter) {
  Stage stage({http_scene(429, "", "Retry-After: 3600\r\n"), chat_scene("hi")},
              {.timeout = 5s});
  EXPECT_FALSE(stage.ask());
  const auto second = stage.ask();
  EXPECT_NE(second.error().message().find("asked to wait longer"),
            std::string::npos)
      << second.error().message();
  EXPECT_EQ(stage.server.requests().size(), 1u);
}

TEST(HttpChatModel, DoesNotRetryClientErrors) {
  const std::pair<int, ErrorCode> cases[] = {{400, ErrorCode::InvalidArgument},
                                             {401, ErrorCode::Unauthenticated},
                                             {403, ErrorCode::PermissionDenied},
                                             {404, ErrorCode::NotFound},
                                             {422, ErrorCode::InvalidArgument}};
  for (const auto& [status, code] : cases) {
    Stage stage({http_scene(status, "no"), chat_scene("never")});
    const auto reply = stage.ask();
    ASSERT_FALSE(reply) << status;
    EXPECT_EQ(reply.error().code(), code) << status;
    EXPECT_FALSE(reply.error().fields().contains("tokens_in"));
  }
}

TEST(HttpChatModel, SwitchesToMaxCompletionTokens) {
  Stage stage({http_scene(400, R"({"error":{"message":"Use )"
                               R"('max_completion_tokens' instead."}})"),
               chat_scene("ok")});
  ASSERT_TRUE(stage.ask());
  ASSERT_TRUE(stage.ask());
  const auto requests = stage.server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_NE(requests[2].body.find("max_completion_tokens"), std::string::npos);
}

TEST(HttpChatModel, DoesNotFollowRedirects) {
  ScriptedServer elsewhere({chat_scene("stolen")});
  const std::string header = "Location: " + elsewhere.base_url() + "\r\n";
  const Error error = failure_of({http_scene(307, "", header)});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(HttpChatModel, NeverRevealsKey) {
  const std::string leak = std::string("bad key ") + kKey;
  EXPECT_EQ(failure_of({http_scene(401, leak)}).message().find(kKey),
            std::string::npos);
  EXPECT_EQ(failure_of({http_scene(200, leak)}).message().find(kKey),
            std::string::npos);
  Stage stage({chat_scene(leak)});
  EXPECT_EQ(stage.ask()->text, "bad key (key)");
}

TEST(HttpChatModel, RejectsInvalidAnswers) {
  for (const char* body :
       {"", "not json", "{}", R"({"choices":[]})",
        R"({"choices":[{"message":{"content":null}}]})",
        R"({"choices":[{"message":{"content":""}}]})",
        R"({"choices":[{"message":{"refusal":"I will not."}}]})",
        "<html>login</html>"}) {
    const Error error = failure_of({http_scene(200, body)});
    EXPECT_EQ(error.code(), ErrorCode::Unavailable) << body;
    EXPECT_TRUE(error.fields().contains("tokens_in")) << body;
    EXPECT_TRUE(error.fields().contains("money_micros")) << body;
  }
}

TEST(HttpChatModel, ReportsLengthLimit) {
  EXPECT_EQ(Stage({chat_scene("def f(", "length")}).ask()->finish,
            FinishReason::Length);
  const Error error =
      failure_of({http_scene(200, R"({"choices":[{"message":{"content":null},)"
                                  R"("finish_reason":"length"}]})")});
  EXPECT_NE(error.message().find("llm.max_tokens"), std::string::npos);
}

TEST(HttpChatModel, ReportsBrokenConnections) {
  const std::vector<ServerScene> scenes = {
      truncated_scene(R"({"choices":[{"mess)"),
      resetting_scene(),
      {.steps = {{.bytes = "HTTP/1.1 200 OK\r\nConte"}}, .closes = true},
      {.steps = {{.bytes = "gibberish\r\n\r\n"}}, .closes = true}};
  for (const ServerScene& scene : scenes) {
    const Error error = failure_of({scene});
    EXPECT_EQ(error.code(), ErrorCode::Unavailable) << error.message();
    // The request arrived, so the whole answer may be charged.
    EXPECT_EQ(error.fields().at("tokens_out"), "100");
  }
}

TEST(HttpChatModel, LimitsReplySize) {
  for (const ServerScene& scene :
       {flooding_scene(),
        ServerScene{
            .steps = {{.bytes = "HTTP/1.1 200 OK\r\n"},
                      {.bytes = "X-More: yes\r\n", .is_endless = true}}}}) {
    const Error error = failure_of({scene}, {.max_reply_bytes = 100'000});
    EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    EXPECT_NE(error.message().find("too large"), std::string::npos)
        << error.message();
  }
}

TEST(HttpChatModel, TimesOutWhereverServerStalls) {
  ServerScene mid_body = truncated_scene("{\"choices\"");
  mid_body.steps.push_back({.wait = 60s, .bytes = ""});
  ServerScene drip = chat_scene("slow");
  drip.steps[0].wait = 20ms;
  drip.steps[0].piece_size = 1;
  for (const ServerScene& scene :
       {stalling_scene(60s, chat_scene("late")), mid_body, drip}) {
    const Error error = failure_of({scene}, {.timeout = 150ms});
    EXPECT_EQ(error.code(), ErrorCode::Timeout) << error.message();
    EXPECT_TRUE(error.fields().contains("tokens_in"));
  }
}

TEST(HttpChatModel, DeadlineCoversAllAttempts) {
  Stage stage({stalling_scene(60ms, http_scene(500, ""))},
              {.timeout = 200ms, .attempts = 1000});
  EXPECT_FALSE(stage.ask());
  EXPECT_LE(stage.server.requests().size(), 4u);
}

TEST(HttpChatModel, CanBeCancelledWhileServerStalls) {
  Stage stage({stalling_scene(60s, chat_scene("late"))});
  CancelSource source;
  std::jthread later([&] {
    EXPECT_TRUE(eventually("the server has the request",
                           [&] { return !stage.server.requests().empty(); }));
    source.cancel("enough");
  });
  const auto reply = stage.model->complete(kRequest, source.token());
  EXPECT_EQ(reply.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(reply.error().message(), "enough");
  EXPECT_TRUE(reply.error().fields().contains("tokens_in"));
}

TEST(HttpChatModel, CanBeCancelledDuringPause) {
  Stage stage({http_scene(429, "", "Retry-After: 60\r\n")});
  CancelSource source;
  std::jthread later([&] {
    EXPECT_TRUE(eventually("the server has the request",
                           [&] { return !stage.server.requests().empty(); }));
    source.cancel("enough");
  });
  const auto reply = stage.model->complete(kRequest, source.token());
  EXPECT_EQ(reply.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(reply.error().message(), "enough");
  EXPECT_EQ(stage.server.requests().size(), 1u);
}

TEST(HttpChatModel, SendsNothingOnceCancelled) {
  Stage stage({chat_scene("never")});
  CancelSource source;
  source.cancel("before it began");
  EXPECT_FALSE(stage.model->complete(kRequest, source.token()));
  EXPECT_EQ(stage.server.connection_count(), 0u);
}

TEST(HttpChatModel, LimitsConcurrentCalls) {
  Stage stage({stalling_scene(5ms, chat_scene("ok"))}, {.concurrent_calls = 2});
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] { good += stage.ask().has_value(); });
    }
  }
  EXPECT_EQ(good, 8);
  EXPECT_LE(stage.server.max_concurrent_requests(), 2u);
  EXPECT_LE(stage.server.connection_count(), 2u);
}

TEST(HttpChatModel, ReportsMissingServer) {
  SystemClock clock;
  std::string address;
  { address = ScriptedServer({chat_scene("")}).base_url(); }
  const auto endpoint =
      ModelEndpoint::open(
          {.base_url = address, .attempts = 2, .first_pause = 1ms}, clock)
          .value();
  const auto model = HttpChatModel::open({.model = "m"}, endpoint).value();
  const auto reply = model->complete(kRequest, {});
  EXPECT_EQ(reply.error().code(), ErrorCode::Unavailable);
  EXPECT_NE(reply.error().message().find("No server answers at " + address),
            std::string::npos)
      << reply.error().message();
  EXPECT_FALSE(reply.error().fields().contains("tokens_in"));
}

TEST(HttpChatModel, PropagatesExceptionOfCallback) {
  Stage stage({stream_scene({"a"}), chat_scene("fine")});
  const auto thrower = [](std::string_view) {
    throw std::runtime_error("listener");
  };
  EXPECT_THROW(static_cast<void>(stage.model->stream(kRequest, thrower, {})),
               std::runtime_error);
  EXPECT_TRUE(stage.ask());
}

TEST(HttpChatModel, RequiresNameAndValidKey) {
  SystemClock clock;
  const auto endpoint = ModelEndpoint::open({}, clock).value();
  EXPECT_FALSE(HttpChatModel::open({.model = ""}, endpoint));
  const auto injected =
      ModelEndpoint::open({.api_key = "secret\r\nX-Evil: 1"}, clock);
  ASSERT_FALSE(injected);
  EXPECT_EQ(injected.error().message().find("secret"), std::string::npos);
  EXPECT_TRUE(ModelEndpoint::open({.api_key = "key-with-line-end\n"}, clock));
}

}  // namespace
}  // namespace lamarck::llm
