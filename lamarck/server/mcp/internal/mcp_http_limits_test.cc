// What a client cannot do to the server or to other clients.

#include <algorithm>
#include <map>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/server/mcp/internal/mcp_fixture.h"
#include "lamarck/server/mcp/internal/mcp_http_sessions.h"

namespace lamarck::mcp {
namespace {

// Returns the id of a session that nothing was sent to.
std::string open_unused(McpFixture& client) {
  const auto reply = client.send(
      "POST", dump_json(legacy_request(1, "initialize",
                                       {{"protocolVersion", "2025-11-25"},
                                        {"capabilities", kNone}})));
  return reply->header("Mcp-Session-Id");
}

TEST(McpHttpLimits, FloodOfOneAddressKeepsSessionsOfOthers) {
  McpFixture client({.max_sessions = 10, .max_sessions_per_address = 4});
  client.set_peer("10.0.0.1", 1);
  const std::string other = client.initialize("2025-11-25");
  client.set_peer("10.0.0.2", 2);
  for (int i = 0; i < 50; ++i) client.initialize("2025-11-25");
  // Also if several addresses fill the server.
  for (int i = 0; i < 50; ++i) {
    client.set_peer("10.0.1." + std::to_string(i % 5), 3);
    client.initialize("2025-11-25");
  }
  const Json ping = legacy_request(1, "ping", kNone);
  EXPECT_EQ(client.post_legacy(other, ping)->status(), 200);
}

TEST(McpHttpLimits, CountsByTokenWhereThereIsOne) {
  McpFixture client({.max_sessions = 100, .max_sessions_per_address = 4});
  const Json ping = legacy_request(1, "ping", kNone);
  // Tokens that share an address have their own limits.
  client.set_peer("10.0.0.1", 1);
  client.set_identity("one");
  const std::string first = client.initialize("2025-11-25");
  client.set_identity("two");
  for (int i = 0; i < 50; ++i) client.initialize("2025-11-25");
  EXPECT_EQ(client.post_legacy(first, ping)->status(), 200);
  // A token has one limit, from however many addresses it comes.
  client.set_identity("one");
  for (std::uint64_t i = 0; i < 10; ++i) {
    client.set_peer("10.0.2." + std::to_string(i), 10 + i);
    client.clock().advance(std::chrono::seconds(1));
    client.post_legacy(client.initialize("2025-11-25"), ping);
  }
  EXPECT_EQ(client.post_legacy(first, ping)->status(), 404);
}

// Clients on one machine share an address.
TEST(McpHttpLimits, FloodOfOneConnectionKeepsSessionsOfOthers) {
  McpFixture client({.max_sessions = 10, .max_sessions_per_address = 10});
  client.set_peer("127.0.0.1", 1);
  const std::string unused = client.initialize("2025-11-25");
  client.set_peer("127.0.0.1", 2);
  const std::string used = client.initialize("2025-11-25");
  const Json ping = legacy_request(1, "ping", kNone);
  client.post_legacy(used, ping);
  client.clock().advance(std::chrono::seconds(1));
  client.set_peer("127.0.0.1", 3);
  for (int i = 0; i < 50; ++i) {
    client.post_legacy(client.initialize("2025-11-25"), ping);
  }
  EXPECT_EQ(client.post_legacy(unused, ping)->status(), 200);
  EXPECT_EQ(client.post_legacy(used, ping)->status(), 200);
}

// Each connection opens a session, uses it and opens the next one.
TEST(McpHttpLimits, BusyConnectionsKeepTheirNewestSessions) {
  McpFixture client({.max_sessions = 10, .max_sessions_per_address = 10});
  std::map<std::uint64_t, std::string> newest;
  const Json ping = legacy_request(1, "ping", kNone);
  for (std::uint64_t i = 0; i < 100; ++i) {
    client.clock().advance(std::chrono::seconds(1));
    client.set_peer("127.0.0.1", i % 4);
    newest[i % 4] = open_unused(client);
    // The connection before uses its session only now.
    const auto before = newest.find((i + 3) % 4);
    if (before == newest.end()) continue;
    EXPECT_EQ(client.post_legacy(before->second, ping)->status(), 200) << i;
  }
}

// Clients that do not end their sessions fill the limit.
TEST(McpHttpLimits, NewSessionOutlivesAbandonedOnes) {
  McpFixture client({.max_sessions = 10, .max_sessions_per_address = 10});
  std::uint64_t connection = 0;
  for (int i = 0; i < 20; ++i) {
    client.set_peer("127.0.0.1", ++connection);
    client.initialize("2025-11-25");
    client.clock().advance(std::chrono::seconds(1));
  }
  client.set_peer("127.0.0.1", ++connection);
  const std::string created = open_unused(client);
  client.set_peer("127.0.0.1", ++connection);
  client.initialize("2025-11-25");
  const Json ping = legacy_request(1, "ping", kNone);
  EXPECT_EQ(client.post_legacy(created, ping)->status(), 200);
}

TEST(McpHttpLimits, FloodOfManyConnectionsClosesUnusedSessionsFirst) {
  McpFixture client({.max_sessions = 10, .max_sessions_per_address = 10});
  client.set_peer("127.0.0.1", 1);
  const std::string used = client.initialize("2025-11-25");
  const Json ping = legacy_request(1, "ping", kNone);
  client.post_legacy(used, ping);
  for (std::uint64_t i = 2; i < 50; ++i) {
    client.clock().advance(std::chrono::seconds(1));
    client.set_peer("127.0.0.1", i);
    open_unused(client);
  }
  EXPECT_EQ(client.post_legacy(used, ping)->status(), 200);
}

TEST(McpHttpLimits, KeepsNoEventsForSessionsWithoutStream) {
  McpFixture client;
  const std::string session = client.initialize("2025-11-25");
  client.post_legacy(
      session, {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  client.legacy(session, "resources/subscribe", {{"uri", "test://static"}});
  EXPECT_FALSE(client.server().has_subscribers());
  client.server().tools_changed();
  const auto stream = client.send(
      "GET", "", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "0_0"}});
  EXPECT_TRUE(stream->messages().empty());
  EXPECT_TRUE(client.server().has_subscribers());
  client.server().tools_changed();
  EXPECT_EQ(stream->messages().size(), 1u);
}

TEST(McpHttpLimits, DropsEndedStreamsThatHoldTooMuch) {
  StreamKeeper keeper;
  McpHttpSession session("s", {}, keeper);
  const std::string message(McpEventStream::kMaxBytes / 2, 'x');
  for (int i = 0; i < 20; ++i) {
    const auto stream = session.open_stream();
    stream->attach(std::make_shared<FakeExchange>(), 0, true);
    stream->send(message);
    stream->end();
  }
  std::size_t kept = 0;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const auto stream = session.find_stream(number);
    if (stream != nullptr) kept += stream->kept_bytes();
  }
  EXPECT_GT(kept, 0u);
  EXPECT_LE(kept, McpHttpSession::kMaxStreamBytes + McpEventStream::kMaxBytes);
}

TEST(McpHttpLimits, LimitsSubscriptions) {
  McpFixture client;
  const std::string session = client.initialize("2025-11-25");
  const auto subscribe = [&](const std::string& uri) {
    return client.legacy(session, "resources/subscribe", {{"uri", uri}});
  };
  for (std::size_t i = 0; i < McpSession::kMaxSubscriptions; ++i) {
    ASSERT_TRUE(
        subscribe("test://item/" + std::to_string(i)).contains("result"));
  }
  EXPECT_EQ(subscribe("test://item/0").contains("result"), true);
  EXPECT_EQ(subscribe("test://item/more")["error"]["message"],
            "A client can subscribe to at most 1000 resources and tasks; "
            "unsubscribe from some first.");
  Json uris = Json::array();
  for (int i = 0; i < 1001; ++i) uris.push_back(std::to_string(i));
  const Json listened = client.modern(
      "subscriptions/listen",
      {{"notifications", {{"resourceSubscriptions", uris}}}}, kNone);
  EXPECT_EQ(listened["error"]["code"], -32602);
}

TEST(McpHttpLimits, CallsThatWaitForClientsLeaveWorkersForOthers) {
  McpFixture client({.workers = 4});
  const std::string session =
      client.initialize("2025-11-25", {{"elicitation", kNone}});
  std::vector<McpFixture::Exchange> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back(client.post_legacy(
        session, legacy_request(10 + i, "tools/call", {{"name", "ask"}})));
  }
  // Two wait; the others are refused and may try again.
  EXPECT_TRUE(eventually("four calls end", [&] {
    return std::ranges::count_if(
               calls, [](const auto& call) { return call->is_over(); }) == 4;
  }));
  const std::string refusal =
      "The server already waits for the answers of 2 clients; try again later.";
  EXPECT_EQ(std::ranges::count_if(calls,
                                  [&](const auto& call) {
                                    return call->body().find(refusal) !=
                                           std::string::npos;
                                  }),
            4);
  EXPECT_TRUE(
      client.legacy(session, "tools/call", {{"name", "add"}}).contains("id"));
}

TEST(McpHttpLimits, SlowCallsLeaveWorkersForOthers) {
  McpFixture client({.workers = 4});
  const std::string session = client.initialize("2025-11-25");
  std::vector<McpFixture::Exchange> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back(client.post_legacy(
        session, legacy_request(10 + i, "tools/call", {{"name", "wait"}})));
  }
  EXPECT_TRUE(eventually("four calls end", [&] {
    return std::ranges::count_if(
               calls, [](const auto& call) { return call->is_over(); }) == 4;
  }));
  for (const auto& call : calls) {
    if (!call->is_over()) continue;
    EXPECT_NE(call->body().find("already runs 2 calls that may take long"),
              std::string::npos);
  }
  client.send("DELETE", "", {{"Mcp-Session-Id", session}});
  for (const auto& call : calls) EXPECT_TRUE(call->wait_for_end());
}

}  // namespace
}  // namespace lamarck::mcp
