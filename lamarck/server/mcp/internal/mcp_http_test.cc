#include "lamarck/server/mcp/internal/mcp_http.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"

namespace lamarck::mcp {
namespace {

struct Rejected {
  int status;
  int code;
  friend bool operator==(const Rejected&, const Rejected&) = default;
};

std::ostream& operator<<(std::ostream& out, const Rejected& rejected) {
  return out << rejected.status << "/" << rejected.code;
}

Rejected rejection_of(const FakeExchange& exchange) {
  if (!exchange.wait_for_end()) return {0, 0};
  const auto messages = exchange.messages();
  if (messages.empty()) return {exchange.status(), 0};
  const Json& last = messages.back();
  return {exchange.status(),
          last.contains("error") ? last["error"]["code"].get<int>() : 0};
}

Json modern_body(std::string_view version, std::string_view method,
                 Json params) {
  Json body = modern_request(1, method, std::move(params), kNone);
  body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version;
  return body;
}

class McpHttpModern : public testing::Test {
 protected:
  Rejected post(const Json& body, net::HttpHeaders headers) {
    return rejection_of(*client_.send("POST", dump_json(body), headers));
  }

  McpFixture client_;
};

TEST_F(McpHttpModern, ChecksInSpecifiedOrder) {
  const net::HttpHeaders good = {{"MCP-Protocol-Version", "2026-07-28"},
                                 {"Mcp-Method", "tools/list"}};
  const auto with = [&](const char* name, const char* value) {
    net::HttpHeaders headers = good;
    headers[name] = value;
    return headers;
  };
  const Json body = modern_body("2026-07-28", "tools/list", kNone);
  EXPECT_EQ(post(body, good), (Rejected{200, 0}));

  EXPECT_EQ(rejection_of(*client_.send("POST", "{", good)),
            (Rejected{400, -32700}));
  EXPECT_EQ(rejection_of(*client_.send("POST", "[]", good)),
            (Rejected{400, -32600}));
  EXPECT_EQ(
      rejection_of(*client_.send("POST", "[" + dump_json(body) + "]", good)),
      (Rejected{400, -32600}));
  EXPECT_EQ(post({{"jsonrpc", "2.0"}, {"id", nullptr}, {"method", "x"}}, good),
            (Rejected{400, -32600}));
  EXPECT_EQ(post({{"id", 1}, {"method", "x"}}, good), (Rejected{400, -32600}));

  // Missing envelope keys take precedence: -32602, not -32020.
  EXPECT_EQ(post(legacy_request(1, "tools/list", kNone),
                 {{"MCP-Protocol-Version", "2026-07-28"}}),
            (Rejected{400, -32602}));
  Json incomplete = body;
  incomplete["params"]["_meta"].erase(
      "io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(post(incomplete, good), (Rejected{400, -32602}));
  EXPECT_EQ(post(incomplete, {}), (Rejected{400, -32602}));

  EXPECT_EQ(post(body, {{"Mcp-Method", "tools/list"}}),
            (Rejected{400, -32020}));
  EXPECT_EQ(post(modern_body("v999.0.0", "tools/list", kNone), good),
            (Rejected{400, -32020}));
  EXPECT_EQ(post(modern_body("v999.0.0", "tools/list", kNone),
                 with("MCP-Protocol-Version", "v999.0.0")),
            (Rejected{400, -32022}));
  EXPECT_EQ(post(body, {{"MCP-Protocol-Version", "2026-07-28"}}),
            (Rejected{400, -32020}));
  EXPECT_EQ(post(body, with("Mcp-Method", "tools/LIST")),
            (Rejected{400, -32020}));
}

TEST_F(McpHttpModern, UnsupportedVersionErrorListsSupportedVersions) {
  const auto exchange = client_.send(
      "POST", dump_json(modern_body("2027-01-01", "tools/list", kNone)),
      {{"MCP-Protocol-Version", "2027-01-01"}, {"Mcp-Method", "tools/list"}});
  EXPECT_EQ(exchange->messages()[0]["error"]["data"],
            Json({{"supported", {"2026-07-28"}}, {"requested", "2027-01-01"}}));
  EXPECT_EQ(exchange->messages()[0]["id"], 1);
}

TEST_F(McpHttpModern, LegacyMethodsAreUnknown) {
  for (const char* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe",
        "resources/unsubscribe", "tasks/result", "tasks/list", "nothing"}) {
    const auto exchange = client_.post_modern(method, kNone, kNone);
    EXPECT_EQ(rejection_of(*exchange), (Rejected{404, -32601})) << method;
  }
}

TEST_F(McpHttpModern, NameHeaderMustMatchBody) {
  const auto call = [&](net::HttpHeaders headers) {
    headers.emplace("MCP-Protocol-Version", "2026-07-28");
    headers.emplace("Mcp-Method", "tools/call");
    return post(modern_body("2026-07-28", "tools/call", {{"name", "chat"}}),
                headers);
  };
  EXPECT_EQ(call({{"Mcp-Name", "chat"}}), (Rejected{200, 0}));
  EXPECT_EQ(call({{"Mcp-Name", "=?base64?Y2hhdA==?="}}), (Rejected{200, 0}));
  EXPECT_EQ(call({}), (Rejected{400, -32020}));
  EXPECT_EQ(call({{"Mcp-Name", "echo"}}), (Rejected{400, -32020}));
  EXPECT_EQ(call({{"Mcp-Name", "=?base64?Y2hhdA?="}}), (Rejected{400, -32020}));
}

TEST_F(McpHttpModern, MarkedArgumentsMustMatchHeaders) {
  const auto call = [&](Json arguments, net::HttpHeaders headers) {
    headers.emplace("MCP-Protocol-Version", "2026-07-28");
    headers.emplace("Mcp-Method", "tools/call");
    headers.emplace("Mcp-Name", "region");
    return post(
        modern_body("2026-07-28", "tools/call",
                    {{"name", "region"}, {"arguments", std::move(arguments)}}),
        headers);
  };
  EXPECT_EQ(call({{"region", "eu"}}, {{"Mcp-Param-Region", "eu"}}),
            (Rejected{200, 0}));
  EXPECT_EQ(call(kNone, {}), (Rejected{200, 0}));
  EXPECT_EQ(call({{"region", "eu"}}, {}), (Rejected{400, -32020}));
  EXPECT_EQ(call({{"region", "eu"}}, {{"Mcp-Param-Region", "us"}}),
            (Rejected{400, -32020}));
}

TEST_F(McpHttpModern, TaskMethodsNeedTheExtension) {
  EXPECT_EQ(
      rejection_of(*client_.post_modern("tasks/get", {{"taskId", "x"}}, kNone)),
      (Rejected{400, -32021}));
  EXPECT_EQ(rejection_of(*client_.post_modern(
                "tasks/get", {{"taskId", "x"}},
                {{"extensions", {{"io.modelcontextprotocol/tasks", kNone}}}})),
            (Rejected{200, -32602}));
}

TEST_F(McpHttpModern, NotificationsAreAccepted) {
  Json note = modern_body("2026-07-28", "notifications/cancelled", kNone);
  note.erase("id");
  const auto exchange = client_.send("POST", dump_json(note));
  EXPECT_EQ(exchange->status(), 202);
  EXPECT_EQ(exchange->body(), "");
}

TEST_F(McpHttpModern, RejectsResponses) {
  EXPECT_EQ(post({{"jsonrpc", "2.0"}, {"id", 1}, {"result", kNone}},
                 {{"MCP-Protocol-Version", "2026-07-28"}}),
            (Rejected{400, -32600}));
}

TEST_F(McpHttpModern, ProgressAndLogsSwitchToStream) {
  Json params = {{"name", "chat"}};
  params["_meta"]["progressToken"] = "t";
  params["_meta"]["io.modelcontextprotocol/logLevel"] = "info";
  const auto exchange = client_.post_modern("tools/call", params, kNone);
  ASSERT_TRUE(exchange->wait_for_end());
  EXPECT_EQ(exchange->header("Content-Type"), "text/event-stream");
  const auto messages = exchange->messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0]["params"], Json({{"progressToken", "t"},
                                         {"progress", 0.0},
                                         {"total", 100.0},
                                         {"message", "begun"}}));
  EXPECT_EQ(
      messages[1]["params"],
      Json({{"level", "info"}, {"logger", "tests"}, {"data", {{"step", 1}}}}));
  EXPECT_EQ(messages[2]["params"]["progress"], 100.0);
  EXPECT_EQ(messages[3]["id"], 1);
  EXPECT_EQ(messages[3]["result"]["content"][0]["text"], "done");
}

TEST_F(McpHttpModern, DropsUnrequestedProgressAndLogs) {
  const auto exchange =
      client_.post_modern("tools/call", {{"name", "chat"}}, kNone);
  ASSERT_TRUE(exchange->wait_for_end());
  EXPECT_EQ(exchange->header("Content-Type"), "application/json");
}

TEST_F(McpHttpModern, DisconnectCancelsCall) {
  Json params = {{"name", "wait"}};
  params["_meta"]["progressToken"] = 1;
  const auto exchange = client_.post_modern("tools/call", params, kNone);
  ASSERT_TRUE(exchange->wait_for_text("waiting"));
  exchange->go_away();  // Without it the test would wait for the tool.
}

TEST_F(McpHttpModern, ListenAcknowledgesThenNotifies) {
  const auto exchange =
      client_.post_modern("subscriptions/listen",
                          {{"notifications",
                            {{"toolsListChanged", true},
                             {"promptsListChanged", false},
                             {"resourceSubscriptions", {"test://static"}}}}},
                          kNone);
  const Json meta = {{"io.modelcontextprotocol/subscriptionId", 1}};
  ASSERT_EQ(exchange->messages().size(), 1u);
  EXPECT_EQ(exchange->messages()[0],
            Json({{"jsonrpc", "2.0"},
                  {"method", "notifications/subscriptions/acknowledged"},
                  {"params",
                   {{"notifications",
                     {{"toolsListChanged", true},
                      {"resourceSubscriptions", {"test://static"}}}},
                    {"_meta", meta}}}}));
  client_.server().tools_changed();
  client_.server().prompts_changed();
  client_.server().resources_changed();
  client_.server().resource_updated("test://other");
  client_.server().resource_updated("test://static");
  auto messages = exchange->messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1]["method"], "notifications/tools/list_changed");
  EXPECT_EQ(messages[1]["params"], Json({{"_meta", meta}}));
  EXPECT_EQ(messages[2]["params"],
            Json({{"uri", "test://static"}, {"_meta", meta}}));
  EXPECT_FALSE(exchange->is_over());

  client_.server().stop();
  EXPECT_TRUE(exchange->is_over());
  messages = exchange->messages();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[3]["id"], 1);
  EXPECT_EQ(messages[3]["result"]["_meta"], meta);
  EXPECT_EQ(client_.send("POST", "{}")->status(), 503);
}

TEST_F(McpHttpModern, DisconnectedListenerIsNotNotified) {
  const auto exchange = client_.post_modern(
      "subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}},
      kNone);
  exchange->go_away();
  client_.server().tools_changed();
  EXPECT_EQ(exchange->messages().size(), 1u);
}

TEST_F(McpHttpModern, ListeningToTasksNeedsTheExtension) {
  EXPECT_EQ(rejection_of(*client_.post_modern(
                "subscriptions/listen",
                {{"notifications", {{"taskIds", {"x"}}}}}, kNone)),
            (Rejected{400, -32021}));
}

TEST_F(McpHttpModern, RejectsInvalidHttp) {
  EXPECT_EQ(
      client_.send("POST", "{}", {{"Content-Type", "text/plain"}})->status(),
      415);
  EXPECT_EQ(client_.send("POST", "{}", {{"Accept", "text/html"}})->status(),
            406);
  EXPECT_EQ(client_.send("GET", "")->status(), 405);
  EXPECT_EQ(client_.send("DELETE", "")->status(), 405);
  EXPECT_EQ(client_.send("PUT", "{}")->status(), 405);
  McpFixture small({.max_message_bytes = 100, .max_depth = 4});
  EXPECT_EQ(small.send("POST", std::string(101, ' '))->status(), 413);
  EXPECT_EQ(rejection_of(*small.send("POST", "[[[[[[]]]]]]")),
            (Rejected{400, -32700}));
}

class McpHttpLegacy : public testing::Test {
 protected:
  McpFixture client_;
};

TEST_F(McpHttpLegacy, InitializeStartsSession) {
  const auto exchange =
      client_.send("POST",
                   dump_json(legacy_request(0, "initialize",
                                            {{"protocolVersion", "2025-11-25"},
                                             {"capabilities", kNone},
                                             {"clientInfo", {{"name", "t"}}}})),
                   {{"Mcp-Method", "initialize"}});
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->header("Mcp-Session-Id").size(), 32u);
  const Json reply = exchange->messages()[0];
  EXPECT_EQ(reply["id"], 0);
  EXPECT_EQ(reply["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(reply["result"]["serverInfo"],
            Json({{"name", "example"}, {"version", "1.0"}}));
  EXPECT_EQ(reply["result"]["instructions"], "Be brief.");
  EXPECT_FALSE(reply["result"]["capabilities"].contains("extensions"));
}

TEST_F(McpHttpLegacy, NegotiatesVersion) {
  const auto negotiate = [&](const Json& version) {
    const auto exchange = client_.send(
        "POST", dump_json(legacy_request(0, "initialize",
                                         {{"protocolVersion", version}})));
    return exchange->messages()[0];
  };
  for (const char* version :
       {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    EXPECT_EQ(negotiate(version)["result"]["protocolVersion"], version);
  }
  EXPECT_EQ(negotiate("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(negotiate("2026-07-28")["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(negotiate(7)["error"]["code"], -32602);
  EXPECT_FALSE(negotiate("2024-11-05")["result"]["capabilities"].contains(
      "completions"));
}

TEST_F(McpHttpLegacy, RequestsRequireLiveSession) {
  const std::string session = client_.initialize("2025-11-25");
  const Json ping = legacy_request(1, "ping", kNone);
  EXPECT_EQ(client_.post_legacy(session, ping)->status(), 200);
  EXPECT_EQ(client_.send("POST", dump_json(ping))->status(), 400);
  EXPECT_EQ(client_.post_legacy("unknown", ping)->status(), 404);
  EXPECT_EQ(
      client_
          .send("POST", dump_json(ping),
                {{"Mcp-Session-Id", session}, {"MCP-Protocol-Version", "1999"}})
          ->status(),
      400);
  EXPECT_EQ(client_.send("DELETE", "", {{"Mcp-Session-Id", session}})->status(),
            200);
  EXPECT_EQ(client_.post_legacy(session, ping)->status(), 404);
  EXPECT_EQ(client_.send("GET", "", {{"Mcp-Session-Id", session}})->status(),
            404);
}

TEST_F(McpHttpLegacy, ActiveCallsAreAnsweredBeforeStop) {
  const std::string session = client_.initialize("2025-11-25");
  std::vector<std::shared_ptr<FakeExchange>> exchanges;
  for (int id = 1; id <= 5; ++id) {
    exchanges.push_back(client_.post_legacy(
        session, legacy_request(id, "tools/call", {{"name", "count"}})));
  }
  client_.server().stop();
  for (const auto& exchange : exchanges) {
    EXPECT_TRUE(exchange->wait_for_end());
    EXPECT_EQ(exchange->status(), 200);
    EXPECT_EQ(exchange->messages().size(), 1u);
  }
}

TEST_F(McpHttpLegacy, CallsOfEndedSessionGetError) {
  const std::string session = client_.initialize("2025-11-25");
  Json talking = legacy_request(6, "tools/call", {{"name", "wait"}});
  talking["params"]["_meta"]["progressToken"] = 1;
  const auto silent = client_.post_legacy(
      session, legacy_request(5, "tools/call", {{"name", "wait"}}));
  const auto streaming = client_.post_legacy(session, talking);
  ASSERT_TRUE(streaming->wait_for_text("waiting"));

  client_.send("DELETE", "", {{"Mcp-Session-Id", session}});

  const Json error = {{"code", -32600},
                      {"message", "The client ended the session."}};
  ASSERT_TRUE(silent->wait_for_end());
  EXPECT_EQ(silent->status(), 404);
  EXPECT_EQ(silent->messages().back(),
            Json({{"jsonrpc", "2.0"}, {"id", 5}, {"error", error}}));
  ASSERT_TRUE(streaming->wait_for_end());
  EXPECT_EQ(streaming->messages().back(),
            Json({{"jsonrpc", "2.0"}, {"id", 6}, {"error", error}}));
}

TEST_F(McpHttpLegacy, ClosesLongestIdleSession) {
  McpFixture client({.max_sessions = 2});
  const std::string first = client.initialize("2025-11-25");
  client.clock().advance(std::chrono::seconds(1));
  const std::string second = client.initialize("2025-11-25");
  client.clock().advance(std::chrono::seconds(1));
  client.legacy(first, "ping", kNone);
  client.clock().advance(std::chrono::seconds(1));
  const std::string third = client.initialize("2025-11-25");
  const Json ping = legacy_request(1, "ping", kNone);
  EXPECT_EQ(client.post_legacy(first, ping)->status(), 200);
  EXPECT_EQ(client.post_legacy(second, ping)->status(), 404);
  EXPECT_EQ(client.post_legacy(third, ping)->status(), 200);
}

TEST_F(McpHttpLegacy, SessionStreamReportsChangesAndResumes) {
  const std::string session = client_.initialize("2025-11-25");
  const auto stream = client_.send("GET", "", {{"Mcp-Session-Id", session}});
  EXPECT_EQ(stream->header("Content-Type"), "text/event-stream");
  EXPECT_EQ(stream->body(), "id: 0_0\nretry: 500\ndata:\n\n");
  client_.legacy(session, "resources/subscribe", {{"uri", "test://static"}});
  client_.server().resource_updated("test://static");
  client_.server().resource_updated("test://other");
  client_.server().prompts_changed();
  const auto messages = stream->messages();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0]["params"], Json({{"uri", "test://static"}}));
  EXPECT_EQ(messages[1]["method"], "notifications/prompts/list_changed");

  // A client that reconnects gets the missed events.
  stream->go_away();
  client_.server().tools_changed();
  const auto again = client_.send(
      "GET", "", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "0_2"}});
  ASSERT_EQ(again->messages().size(), 1u);
  EXPECT_EQ(again->messages()[0]["method"], "notifications/tools/list_changed");

  client_.send("DELETE", "", {{"Mcp-Session-Id", session}});
  EXPECT_TRUE(again->is_over());
}

TEST_F(McpHttpLegacy, ServerRequestsUseStreamOfCall) {
  const std::string session =
      client_.initialize("2025-11-25", {{"elicitation", kNone}});
  const auto call = client_.post_legacy(
      session, legacy_request(5, "tools/call", {{"name", "ask"}}));
  ASSERT_TRUE(call->wait_for_text("elicitation/create"));
  const Json asked = call->messages()[0];
  EXPECT_EQ(asked["params"]["message"], "Name?");
  const auto answer = client_.post_legacy(
      session,
      {{"jsonrpc", "2.0"},
       {"id", asked["id"]},
       {"result", {{"action", "accept"}, {"content", {{"name", "Ada"}}}}}});
  EXPECT_EQ(answer->status(), 202);
  ASSERT_TRUE(call->wait_for_end());
  EXPECT_EQ(call->messages()[1]["id"], 5);
  EXPECT_EQ(call->messages()[1]["result"]["content"][0]["text"],
            "Hello, Ada! round-1");
}

TEST_F(McpHttpLegacy, UnansweredRequestIsToolError) {
  const Json cannot = client_.legacy(client_.initialize("2025-11-25"),
                                     "tools/call", {{"name", "sample"}});
  EXPECT_EQ(cannot["result"]["isError"], true);
  const std::string old =
      client_.initialize("2025-03-26", {{"elicitation", kNone}});
  EXPECT_EQ(
      client_.legacy(old, "tools/call", {{"name", "ask"}})["result"]["isError"],
      true);
  const std::string session =
      client_.initialize("2025-11-25", {{"sampling", kNone}});
  const auto call = client_.post_legacy(
      session, legacy_request(5, "tools/call", {{"name", "sample"}}));
  ASSERT_TRUE(call->wait_for_text("sampling/createMessage"));
  client_.post_legacy(session, {{"jsonrpc", "2.0"},
                                {"id", call->messages()[0]["id"]},
                                {"error", {{"code", -1}, {"message", "No."}}}});
  ASSERT_TRUE(call->wait_for_end());
  EXPECT_EQ(call->messages().back()["result"]["content"][0]["text"],
            "The client rejected sampling/createMessage: No.");
}

TEST_F(McpHttpLegacy, CancelledCallGetsNoReply) {
  const std::string session = client_.initialize("2025-11-25");
  Json request = legacy_request(5, "tools/call", {{"name", "wait"}});
  request["params"]["_meta"]["progressToken"] = 1;
  const auto call = client_.post_legacy(session, request);
  ASSERT_TRUE(call->wait_for_text("waiting"));
  EXPECT_EQ(
      client_.post_legacy(session, request)->messages()[0]["error"]["code"],
      -32600);
  client_.post_legacy(session, {{"jsonrpc", "2.0"},
                                {"method", "notifications/cancelled"},
                                {"params", {{"requestId", 5}}}});
  ASSERT_TRUE(call->wait_for_end());
  EXPECT_EQ(call->messages().size(), 1u);
}

TEST_F(McpHttpLegacy, CancelledCallWithdrawsItsRequests) {
  const std::string session =
      client_.initialize("2025-11-25", {{"elicitation", kNone}});
  const auto own = client_.send("GET", "", {{"Mcp-Session-Id", session}});
  const auto call = client_.post_legacy(
      session, legacy_request(5, "tools/call", {{"name", "ask"}}));
  ASSERT_TRUE(call->wait_for_text("elicitation/create"));
  client_.post_legacy(session,
                      {{"jsonrpc", "2.0"},
                       {"method", "notifications/cancelled"},
                       {"params", {{"requestId", 5}, {"reason", "Not now."}}}});
  ASSERT_TRUE(own->wait_for_text("notifications/cancelled"));
  EXPECT_EQ(
      own->messages()[0]["params"],
      Json({{"requestId", call->messages()[0]["id"]}, {"reason", "Not now."}}));
  EXPECT_TRUE(call->wait_for_end());
  EXPECT_EQ(call->messages().size(), 1u);
}

TEST_F(McpHttpLegacy, DisconnectedClientCanResumeStream) {
  const std::string session = client_.initialize("2025-11-25");
  const auto call = client_.post_legacy(
      session, legacy_request(5, "tools/call", {{"name", "leave"}}));
  ASSERT_TRUE(call->wait_for_end());
  EXPECT_EQ(call->body(), "id: 1_0\nretry: 500\ndata:\n\n");
  const auto rest = client_.send(
      "GET", "", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "1_0"}});
  ASSERT_TRUE(rest->wait_for_end());
  EXPECT_EQ(rest->messages()[0]["result"]["content"][0]["text"], "the rest");
}

TEST_F(McpHttpLegacy, SupportsBatchesInOneVersionOnly) {
  const Json ping = legacy_request(1, "ping", kNone);
  const Json chat = legacy_request(2, "tools/call", {{"name", "chat"}});
  const Json note = {{"jsonrpc", "2.0"}, {"method", "notifications/x"}};
  const std::string session = client_.initialize("2025-03-26");
  const auto post = [&](const Json& batch) {
    return client_.post_legacy(session, batch);
  };
  const auto both = post({ping, note, chat});
  ASSERT_TRUE(both->wait_for_end());
  EXPECT_EQ(both->status(), 200);
  const Json replies = both->messages().back();
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0]["result"], kNone);
  EXPECT_EQ(replies[1]["id"], 2);
  EXPECT_EQ(post(Json::array({note}))->status(), 202);
  EXPECT_EQ(rejection_of(*post(Json::array())), (Rejected{400, -32600}));
  EXPECT_EQ(rejection_of(*post(Json(101, ping))), (Rejected{400, -32600}));
  EXPECT_EQ(rejection_of(*post(
                Json::array({modern_request(1, "tools/list", kNone, kNone)}))),
            (Rejected{400, -32600}));
  const auto mixed = post({ping, 7});
  ASSERT_TRUE(mixed->wait_for_end());
  EXPECT_EQ(mixed->messages()[0][0]["error"]["code"], -32600);
  const std::string later = client_.initialize("2025-06-18");
  EXPECT_EQ(rejection_of(*client_.post_legacy(later, {ping, chat})),
            (Rejected{400, -32600}));
}

TEST(EventId, RoundTrips) {
  EXPECT_EQ(EventId::parse(EventId{3, 17}.to_string()), (EventId{3, 17}));
  for (const char* text : {"", "3", "3_", "_1", "3_x", "3_1_"}) {
    EXPECT_EQ(EventId::parse(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lamarck::mcp
