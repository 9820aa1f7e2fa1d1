#include "lamarck/server/mcp/internal/mcp_stdio.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <thread>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"
#include "lamarck/server/mcp/internal/mcp_lines.h"

namespace lamarck::mcp {
namespace {

// A client that is connected to a server by two pipes.
class StdioClient {
 public:
  explicit StdioClient(McpOptions options = {}) : fixture_(std::move(options)) {
    std::array<int, 2> to_server{};
    std::array<int, 2> from_server{};
    EXPECT_EQ(pipe(to_server.data()), 0);
    EXPECT_EQ(pipe(from_server.data()), 0);
    in_ = to_server[1];
    out_ = from_server[0];
    reader_.emplace(out_, std::size_t{1} << 24);
    thread_ = std::thread([this, in = to_server[0], out = from_server[1]] {
      result_ = fixture_.server().serve_stdio(in, out, cancel_.token());
      close(in);
      close(out);
    });
  }
  ~StdioClient() {
    finish();
    close(out_);
  }

  void write(std::string_view bytes) const {
    EXPECT_EQ(::write(in_, bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void send(const Json& message) const { write(dump_json(message) + "\n"); }

  // Returns the next message; null at the end.
  Json next() {
    const auto line = reader_->next().value();
    return line.has_value() ? Json::parse(line->text) : Json();
  }
  Json ask(const Json& message) {
    send(message);
    return next();
  }

  void close_input() {
    if (in_ >= 0) close(std::exchange(in_, -1));
  }
  void finish() {
    close_input();
    if (thread_.joinable()) thread_.join();
    EXPECT_TRUE(result_.has_value());
  }
  void cancel() { cancel_.cancel("Enough."); }
  McpServer& server() { return fixture_.server(); }
  void join() { thread_.join(); }

 private:
  McpFixture fixture_;
  CancelSource cancel_;
  int in_ = -1;
  int out_ = -1;
  std::optional<LineReader> reader_;
  Result<void> result_;
  std::thread thread_;
};

Json echo_request(int id) {
  return modern_request(id, "tools/call",
                        {{"name", "echo"}, {"arguments", {{"text", "a\nb"}}}},
                        kNone);
}

Json initialize_request(std::string_view version) {
  return legacy_request(
      0, "initialize", {{"protocolVersion", version}, {"capabilities", kNone}});
}

TEST(McpStdio, ServesBothErasSideBySide) {
  StdioClient client;
  EXPECT_EQ(client.ask(modern_request(1, "server/discover", kNone,
                                      kNone))["result"]["resultType"],
            "complete");
  EXPECT_EQ(
      client.ask(initialize_request("2025-06-18"))["result"]["protocolVersion"],
      "2025-06-18");
  EXPECT_EQ(client.ask(legacy_request(2, "ping", kNone)),
            Json({{"jsonrpc", "2.0"}, {"id", 2}, {"result", kNone}}));
  EXPECT_EQ(client.ask(echo_request(3))["result"]["structuredContent"]["text"],
            "a\nb");
  EXPECT_EQ(client.ask(legacy_request(4, "initialize", kNone))["error"]["code"],
            -32602);
}

std::string text_of(const Json& reply) {
  return reply["result"]["content"][0]["text"];
}

TEST(McpStdio, BriefToolRunsOnReadingThread) {
  StdioClient client;
  const auto called = [&](int id, std::string_view name) {
    return text_of(
        client.ask(modern_request(id, "tools/call", {{"name", name}}, kNone)));
  };
  const std::string here = called(1, "thread_here");
  EXPECT_EQ(called(2, "thread"), here);
  EXPECT_NE(called(3, "thread_there"), here);
}

TEST(McpStdio, BriefToolsRunInOrder) {
  StdioClient client;
  std::string lines;
  for (int id = 1; id <= 20; ++id) {
    lines += dump_json(
                 modern_request(id, "tools/call", {{"name", "count"}}, kNone)) +
             "\n";
  }
  client.write(lines);
  for (int id = 1; id <= 20; ++id) {
    const Json reply = client.next();
    EXPECT_EQ(reply["id"], id);
    EXPECT_EQ(text_of(reply), std::to_string(id));
  }
}

TEST(McpStdio, ClientCanSendManyRequestsBeforeReading) {
  constexpr int kCount = 2000;
  const std::string text(1000, 'x');
  StdioClient client;
  for (int id = 1; id <= kCount; ++id) {
    client.send(modern_request(
        id, "tools/call", {{"name", "echo"}, {"arguments", {{"text", text}}}},
        kNone));
  }
  client.close_input();
  for (int id = 1; id <= kCount; ++id) {
    const Json reply = client.next();
    ASSERT_EQ(reply["id"], id);
    ASSERT_EQ(reply["result"]["structuredContent"]["text"], text);
  }
}

TEST(McpStdio, ClientThatNeverReadsDoesNotBlockShutdown) {
  StdioClient client({.grace = std::chrono::milliseconds(10)});
  for (int id = 1; id <= 200; ++id) {
    client.send(modern_request(
        id, "tools/call",
        {{"name", "echo"}, {"arguments", {{"text", std::string(1000, 'x')}}}},
        kNone));
  }
  client.finish();
}

TEST(McpStdio, OnlyPingWorksBeforeInitialize) {
  StdioClient client;
  EXPECT_EQ(client.ask(legacy_request(1, "ping", kNone))["result"], kNone);
  EXPECT_EQ(
      client.ask(legacy_request(2, "server/discover", kNone))["error"]["code"],
      -32602);
  EXPECT_EQ(client.ask(legacy_request(3, "tools/list", kNone))["error"]["code"],
            -32600);
}

TEST(McpStdio, AcceptsPartialLinesAndCrLf) {
  StdioClient client;
  const std::string text = dump_json(echo_request(1));
  client.write(text.substr(0, 10));
  client.write(text.substr(10) + "\r\n\r\n\n" + dump_json(echo_request(2)));
  EXPECT_EQ(client.next()["id"], 1);
  client.write("\n");
  EXPECT_EQ(client.next()["id"], 2);
}

TEST(McpStdio, SurvivesMalformedMessages) {
  StdioClient client({.max_message_bytes = 1000, .max_depth = 8});
  client.write("{\"jsonrpc\n");
  EXPECT_EQ(client.next()["error"]["code"], -32700);
  client.write("\xff\xfe\n");
  EXPECT_EQ(client.next()["error"]["code"], -32700);
  client.write("[[[[[[[[[[]]]]]]]]]]\n");
  EXPECT_EQ(client.next()["error"]["code"], -32700);
  client.write(R"({"jsonrpc":"2.0","id":5,"method":"ping","x":"\ud800"})"
               "\n");
  const Json unpaired = client.next();
  EXPECT_EQ(unpaired["error"]["code"], -32700);
  EXPECT_EQ(unpaired["id"], 5);
  for (const char* text : {"7", "[]", "{}", "null", "[1]"}) {
    client.write(std::string(text) + "\n");
    const Json reply = client.next();
    EXPECT_EQ(reply["error"]["code"], -32600) << text;
    EXPECT_FALSE(reply.contains("id")) << text;
  }
  client.write(std::string(200'000, 'x') + "\n");
  EXPECT_EQ(client.next()["error"]["code"], -32600);
  EXPECT_EQ(client.ask(echo_request(1))["id"], 1);
}

TEST(McpStdio, LastLineNeedsNoLineEnd) {
  StdioClient client;
  client.write(dump_json(echo_request(1)));
  client.close_input();
  EXPECT_EQ(client.next()["id"], 1);
  EXPECT_TRUE(client.next().is_null());
}

TEST(McpStdio, ActiveCallsAreCancelledAfterGracePeriod) {
  StdioClient client({.grace = std::chrono::milliseconds(20)});
  Json params = {{"name", "wait"}};
  params["_meta"]["progressToken"] = 1;
  client.send(modern_request(1, "tools/call", params, kNone));
  EXPECT_EQ(client.next()["method"], "notifications/progress");
  client.close_input();
  EXPECT_TRUE(client.next().is_null());
}

TEST(McpStdio, CancelledCallSendsNothing) {
  StdioClient client;
  Json params = {{"name", "wait"}};
  params["_meta"]["progressToken"] = 1;
  client.send(modern_request(1, "tools/call", params, kNone));
  EXPECT_EQ(client.next()["method"], "notifications/progress");
  client.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", 1}}}});
  EXPECT_EQ(client.ask(echo_request(1))["id"], 1);
}

TEST(McpStdio, ListenersShareTheConnection) {
  StdioClient client;
  const Json filter = {{"notifications", {{"toolsListChanged", true}}}};
  for (int id = 1; id <= 2; ++id) {
    EXPECT_EQ(client.ask(modern_request(
                  id, "subscriptions/listen", filter,
                  kNone))["params"]["_meta"]
                         ["io.modelcontextprotocol/subscriptionId"],
              id);
  }
  client.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", 1}}}});
  client.ask(echo_request(3));
  client.server().tools_changed();
  EXPECT_EQ(client.next()["params"]["_meta"]
                         ["io.modelcontextprotocol/subscriptionId"],
            2);
  client.server().stop();
  EXPECT_EQ(client.next()["id"], 2);
  EXPECT_EQ(client.next()["method"], "notifications/cancelled");
}

TEST(McpStdio, LegacySessionIsNotifiedOnceReady) {
  StdioClient client;
  client.ask(initialize_request("2025-11-25"));
  client.server().tools_changed();
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  client.ask(legacy_request(1, "ping", kNone));
  client.server().prompts_changed();
  EXPECT_EQ(client.next()["method"], "notifications/prompts/list_changed");
}

TEST(McpStdio, ServerSendsRequestToClient) {
  StdioClient client;
  client.ask(legacy_request(0, "initialize",
                            {{"protocolVersion", "2025-11-25"},
                             {"capabilities", {{"sampling", kNone}}}}));
  const Json asked =
      client.ask(legacy_request(1, "tools/call", {{"name", "sample"}}));
  EXPECT_EQ(asked["method"], "sampling/createMessage");
  const Json reply =
      client.ask({{"jsonrpc", "2.0"},
                  {"id", asked["id"]},
                  {"result",
                   {{"role", "assistant"},
                    {"model", "m"},
                    {"content", {{"type", "text"}, {"text", "a thought"}}}}}});
  EXPECT_EQ(reply["result"]["content"][0]["text"], "a thought");
}

TEST(McpStdio, AnswersBatches) {
  StdioClient client;
  client.ask(initialize_request("2025-03-26"));
  const Json replies = client.ask(Json::array(
      {legacy_request(1, "ping", kNone), legacy_request(2, "ping", kNone)}));
  EXPECT_EQ(replies.size(), 2u);
}

TEST(McpStdio, CancelAndStopEndServing) {
  StdioClient cancelled;
  cancelled.cancel();
  cancelled.join();
  StdioClient stopped;
  stopped.server().stop();
  stopped.join();
}

}  // namespace
}  // namespace lamarck::mcp
