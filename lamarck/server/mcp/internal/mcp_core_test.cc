// Tests of every method in both eras.

#include "lamarck/server/mcp/internal/mcp_core.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"
#include "lamarck/server/mcp/internal/mcp_methods.h"

namespace lamarck::mcp {
namespace {

Json server_meta() {
  return {{"io.modelcontextprotocol/serverInfo",
           {{"name", "example"}, {"version", "1.0"}}}};
}

// Adds the members that a modern result has in addition to those of the
// handler.
Json with_envelope(Json result) {
  result["resultType"] = "complete";
  result["_meta"] = server_meta();
  return result;
}

Json text_result(std::string_view text) {
  return {{"content", {{{"type", "text"}, {"text", text}}}}};
}

TEST(McpModern, DiscoverReportsVersionsAndCapabilities) {
  McpFixture client;
  const Json result = client.modern("server/discover", kNone)["result"];
  EXPECT_EQ(result,
            with_envelope(
                {{"supportedVersions", {"2026-07-28"}},
                 {"capabilities",
                  {{"tools", {{"listChanged", true}}},
                   {"resources", {{"subscribe", true}, {"listChanged", true}}},
                   {"prompts", {{"listChanged", true}}},
                   {"completions", kNone},
                   {"logging", kNone},
                   {"extensions", {{"io.modelcontextprotocol/tasks", kNone}}}}},
                 {"instructions", "Be brief."},
                 {"ttlMs", 60000},
                 {"cacheScope", "public"}}));
}

TEST(McpModern, ListsHaveCacheHints) {
  McpFixture client;
  for (const char* method : {"tools/list", "prompts/list", "resources/list",
                             "resources/templates/list"}) {
    const Json result = client.modern(method, kNone)["result"];
    EXPECT_EQ(result["resultType"], "complete") << method;
    EXPECT_TRUE(result["ttlMs"].is_number_integer()) << method;
    EXPECT_TRUE(result["cacheScope"].is_string()) << method;
    EXPECT_FALSE(result.contains("nextCursor")) << method;
  }
}

TEST(McpModern, ListsRegistryEntries) {
  McpFixture client;
  const Json tools = client.modern("tools/list", kNone)["result"]["tools"];
  EXPECT_EQ(tools[0]["name"], "echo");
  EXPECT_EQ(tools[0]["annotations"]["readOnlyHint"], true);
  EXPECT_EQ(tools[0]["inputSchema"]["required"], Json({"text"}));
  EXPECT_TRUE(tools[0].contains("outputSchema"));
  EXPECT_EQ(client.modern("resources/list", kNone)["result"]["resources"][2],
            Json({{"uri", "test://item/7"},
                  {"name", "seven"},
                  {"mimeType", "text/plain"}}));
  EXPECT_EQ(
      client.modern("resources/templates/list",
                    kNone)["result"]["resourceTemplates"],
      Json::array({{{"uriTemplate", "test://item/{id}"}, {"name", "items"}}}));
  EXPECT_EQ(client.modern("prompts/list", kNone)["result"]["prompts"],
            Json::array({{{"name", "greet"},
                          {"description", "Greets."},
                          {"arguments",
                           {{{"name", "name"},
                             {"description", "Whom."},
                             {"required", true}}}}}}));
}

TEST(McpModern, PagesFollowTheirCursors) {
  McpFixture client({.page_size = 5});
  std::vector<std::string> names;
  Json params = kNone;
  for (int page = 0; page < 10; ++page) {
    const Json result = client.modern("tools/list", params)["result"];
    for (const Json& tool : result["tools"]) names.push_back(tool["name"]);
    if (!result.contains("nextCursor")) break;
    params["cursor"] = result["nextCursor"];
  }
  EXPECT_EQ(names.size(), example_registry().tools.size());
  for (const char* cursor : {"page-0", "page-99", "x", "page-1x"}) {
    EXPECT_EQ(
        client.modern("tools/list", {{"cursor", cursor}})["error"]["code"],
        -32602)
        << cursor;
  }
  EXPECT_EQ(client.modern("tools/list", {{"cursor", 1}})["error"]["code"],
            -32602);
  EXPECT_TRUE(client.modern("tools/list", {{"cursor", ""}}).contains("result"));
}

TEST(McpModern, CallsQuickTool) {
  McpFixture client;
  EXPECT_EQ(
      client.modern("tools/call",
                    {{"name", "echo"}, {"arguments", {{"text", "a\n\"b\""}}}}),
      Json({{"jsonrpc", "2.0"},
            {"id", 1},
            {"result",
             with_envelope({{"content",
                             {{{"type", "text"},
                               {"text", R"({"count":1,"text":"a\n\"b\""})"}}}},
                            {"structuredContent",
                             {{"text", "a\n\"b\""}, {"count", 1}}}})}}));
}

TEST(McpModern, ConvertsStringsThatSpellNumbers) {
  McpFixture client;
  const Json reply = client.modern(
      "tools/call",
      {{"name", "echo"}, {"arguments", {{"text", "a"}, {"count", "3"}}}});
  EXPECT_EQ(reply["result"]["structuredContent"]["count"], 3);
}

TEST(McpModern, InvalidArgumentsAreToolErrors) {
  McpFixture client;
  for (const Json& arguments :
       {Json::object(), Json({{"text", 1}}), Json({{"text", "a"}, {"b", 1}})}) {
    const Json result = client.modern(
        "tools/call", {{"name", "echo"}, {"arguments", arguments}})["result"];
    EXPECT_EQ(result["isError"], true) << arguments;
    EXPECT_FALSE(result["content"][0]["text"].get<std::string>().empty());
  }
}

TEST(McpModern, ArgumentsMayBeAbsent) {
  McpFixture client;
  EXPECT_EQ(client.modern("tools/call", {{"name", "chat"}})["result"],
            with_envelope(text_result("done")));
  EXPECT_EQ(client.modern("tools/call",
                          {{"name", "chat"}, {"task", {{"ttl", 1}}}})["result"],
            with_envelope(text_result("done")));
}

TEST(McpModern, RejectsInvalidRequests) {
  McpFixture client;
  const auto code = [&](std::string_view method, const Json& params) {
    return client.modern(method, params)["error"]["code"];
  };
  EXPECT_EQ(code("tools/call", {{"name", "nobody"}}), -32602);
  EXPECT_EQ(code("tools/call", kNone), -32602);
  EXPECT_EQ(code("tools/call", {{"name", "echo"}, {"arguments", 1}}), -32602);
  EXPECT_EQ(code("prompts/get", {{"name", "nobody"}}), -32602);
  EXPECT_EQ(code("prompts/get", {{"name", "greet"}}), -32602);
  EXPECT_EQ(
      code("prompts/get", {{"name", "greet"}, {"arguments", {{"name", 1}}}}),
      -32602);
  EXPECT_EQ(code("resources/read", kNone), -32602);
  EXPECT_EQ(code("completion/complete", kNone), -32602);
  EXPECT_EQ(code("subscriptions/listen", kNone), -32602);
}

TEST(McpModern, UnknownNameErrorPointsToList) {
  McpFixture client;
  const auto message = [&](std::string_view method) {
    return client.modern(method, {{"name", "nobody"}})["error"]["message"];
  };

  EXPECT_EQ(message("tools/call"),
            "Unknown tool 'nobody'; tools/list lists all tools.");
  EXPECT_EQ(message("prompts/get"),
            "Unknown prompt 'nobody'; prompts/list lists all prompts.");
}

TEST(McpModern, ThrowingToolIsInternalError) {
  McpFixture client;
  const auto exchange =
      client.post_modern("tools/call", {{"name", "throw"}}, kNone);
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->messages()[0]["error"],
            Json({{"code", -32603}, {"message", "Internal error: a mistake"}}));
}

TEST(McpModern, InvalidResultIsInternalError) {
  McpFixture client({.checks_output = true});
  EXPECT_EQ(client.modern("tools/call", {{"name", "liar"}})["error"]["code"],
            -32603);
}

TEST(McpModern, ReadsResources) {
  McpFixture client;
  const auto read = [&](std::string_view uri) {
    return client.modern("resources/read", {{"uri", uri}});
  };
  const auto contents = [](Json content) {
    return with_envelope({{"contents", Json::array({std::move(content)})},
                          {"ttlMs", 0},
                          {"cacheScope", "private"}});
  };
  EXPECT_EQ(read("test://static")["result"],
            contents({{"uri", "test://static"},
                      {"mimeType", "text/plain"},
                      {"text", "static text"}}));
  EXPECT_EQ(read("test://bytes")["result"], contents({{"uri", "test://bytes"},
                                                      {"mimeType", "image/png"},
                                                      {"blob", "AQI="}}));
  EXPECT_EQ(read("test://item/a%20b")["result"]["contents"][0]["text"],
            "item a b");
  for (const char* uri : {"test://nowhere", "test://item/none"}) {
    const Json error = read(uri)["error"];
    EXPECT_EQ(error["code"], -32602);
    EXPECT_EQ(error["data"], Json({{"uri", uri}}));
  }
}

TEST(McpModern, RendersPromptsAndCompletesArguments) {
  McpFixture client;
  EXPECT_EQ(
      client.modern(
          "prompts/get",
          {{"name", "greet"}, {"arguments", {{"name", "Ada"}}}})["result"],
      with_envelope(
          {{"messages",
            {{{"role", "user"},
              {"content", {{"type", "text"}, {"text", "Greet Ada"}}}}}}}));
  const auto complete = [&](std::string_view value) {
    return client.modern(
        "completion/complete",
        {{"ref", {{"type", "ref/prompt"}, {"name", "greet"}}},
         {"argument", {{"name", "name"}, {"value", value}}}})["result"];
  };
  EXPECT_EQ(complete("Ad"),
            with_envelope(
                {{"completion",
                  {{"values", {"Ada"}}, {"total", 1}, {"hasMore", false}}}}));
  const Json many = complete("many")["completion"];
  EXPECT_EQ(many["values"].size(), 100u);
  EXPECT_EQ(many["total"], 150);
  EXPECT_EQ(many["hasMore"], true);
  EXPECT_EQ(
      client.modern(
          "completion/complete",
          {{"ref", {{"type", "ref/resource"}, {"uri", "test://item/{id}"}}},
           {"argument",
            {{"name", "id"},
             {"value", ""}}}})["result"]["completion"]["values"],
      Json::array());
}

TEST(McpModern, RequestsInputAndIsCalledAgain) {
  McpFixture client;
  const Json can = {{"elicitation", kNone}};
  const Json asked =
      client.modern("tools/call", {{"name", "ask"}}, can)["result"];
  EXPECT_EQ(asked["resultType"], "input_required");
  EXPECT_EQ(asked["inputRequests"]["user_name"]["method"],
            "elicitation/create");
  EXPECT_EQ(asked["inputRequests"]["user_name"]["params"]["message"], "Name?");
  EXPECT_FALSE(asked.contains("ttlMs"));

  const Json answer = {
      {"user_name", {{"action", "accept"}, {"content", {{"name", "Ada"}}}}}};
  EXPECT_EQ(client.modern("tools/call",
                          {{"name", "ask"},
                           {"inputResponses", answer},
                           {"requestState", asked["requestState"]}},
                          can)["result"],
            with_envelope(text_result("Hello, Ada! round-1")));
}

TEST(McpModern, RequestsInputAgainAfterInvalidAnswer) {
  McpFixture client;
  const Json can = {{"elicitation", kNone}};
  for (const Json& answers :
       {Json({{"wrong", {{"action", "accept"}}}}), Json({{"user_name", 42}}),
        Json({{"user_name", nullptr}}), Json({{"user_name", kNone}}),
        Json(nullptr)}) {
    EXPECT_EQ(client.modern("tools/call",
                            {{"name", "ask"}, {"inputResponses", answers}},
                            can)["result"]["resultType"],
              "input_required")
        << answers;
  }
  EXPECT_EQ(
      client.modern("tools/call", {{"name", "ask"}, {"inputResponses", 3}},
                    can)["error"]["code"],
      -32602);
}

TEST(McpModern, RejectsModifiedState) {
  McpFixture client;
  const Json can = {{"elicitation", kNone}};
  const std::string state = client.modern("tools/call", {{"name", "ask"}},
                                          can)["result"]["requestState"];
  const auto code = [&](const Json& params) {
    const Json reply = client.modern("tools/call", params, can);
    return reply.contains("error") ? reply["error"]["code"].get<int>() : 0;
  };
  EXPECT_EQ(code({{"name", "ask"}, {"requestState", state}}), 0);
  EXPECT_EQ(code({{"name", "ask"}, {"requestState", state + "-TAMPERED"}}),
            -32602);
  EXPECT_EQ(code({{"name", "ask"}, {"requestState", "x"}}), -32602);
  EXPECT_EQ(code({{"name", "ask"}, {"requestState", 1}}), -32602);
  EXPECT_EQ(code({{"name", "ask"},
                  {"arguments", {{"other", 1}}},
                  {"requestState", state}}),
            -32602);
  client.clock().advance(std::chrono::hours(2));
  EXPECT_EQ(code({{"name", "ask"}, {"requestState", state}}), -32602);
}

TEST(McpModern, ErrorNamesMissingCapability) {
  McpFixture client;
  const auto exchange =
      client.post_modern("tools/call", {{"name", "sample"}}, kNone);
  ASSERT_TRUE(exchange->wait_for_end());
  EXPECT_EQ(exchange->status(), 400);
  const Json error = exchange->messages()[0]["error"];
  EXPECT_EQ(error["code"], -32021);
  EXPECT_EQ(error["data"],
            Json({{"requiredCapabilities", {{"sampling", kNone}}}}));
}

TEST(McpModern, MethodOfMissingFeatureIsUnknown) {
  ManualClock clock;
  Registry registry;
  registry.server_version = "1";
  auto server =
      McpServer::create(std::move(registry), {}, clock, Rng(1), nullptr)
          .value();
  net::HttpRequest request;
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"},
                     {"MCP-Protocol-Version", "2026-07-28"},
                     {"Mcp-Method", "tools/list"}};
  request.body = dump_json(modern_request(1, "tools/list", kNone, kNone));
  const auto exchange = std::make_shared<FakeExchange>();
  server->serve_http(request, exchange);
  EXPECT_EQ(exchange->status(), 404);
  EXPECT_EQ(exchange->messages()[0]["error"]["code"], -32601);
}

TEST(McpLegacy, SubscriptionRequiresExistingResource) {
  McpFixture client;
  const std::string session = client.initialize("2025-11-25");
  const auto subscribe = [&](const char* uri) {
    return client.legacy(session, "resources/subscribe", {{"uri", uri}});
  };
  EXPECT_EQ(subscribe("test://item/7")["result"], kNone);
  EXPECT_EQ(subscribe("nowhere://x")["error"],
            Json({{"code", -32002},
                  {"message",
                   "Unknown resource 'nowhere://x'; resources/list lists all "
                   "resources."},
                  {"data", {{"uri", "nowhere://x"}}}}));
  EXPECT_EQ(subscribe("test://item/none")["error"],
            Json({{"code", -32002},
                  {"message", "Item none does not exist."},
                  {"data", {{"uri", "test://item/none"}}}}));
}

TEST(McpModern, ListenRequiresExistingResources) {
  McpFixture client;
  for (const char* uri : {"nowhere://x", "test://item/none"}) {
    const Json reply =
        client.modern("subscriptions/listen",
                      {{"notifications",
                        {{"toolsListChanged", true},
                         {"resourceSubscriptions", {"test://static", uri}}}}});
    EXPECT_EQ(reply["error"]["code"], -32602) << uri;
    EXPECT_EQ(reply["error"]["data"], Json({{"uri", uri}}));
  }
}

TEST(McpLegacy, ResultsHaveNoModernMembers) {
  McpFixture client;
  const std::string session = client.initialize("2025-11-25");
  EXPECT_EQ(client.legacy(session, "ping", kNone)["result"], kNone);
  EXPECT_EQ(client.legacy(session, "logging/setLevel",
                          {{"level", "error"}})["result"],
            kNone);
  EXPECT_EQ(client.legacy(session, "resources/subscribe",
                          {{"uri", "test://static"}})["result"],
            kNone);
  EXPECT_EQ(client.legacy(session, "resources/unsubscribe",
                          {{"uri", "test://static"}})["result"],
            kNone);
  EXPECT_EQ(client.legacy(session, "tools/call", {{"name", "chat"}})["result"],
            text_result("done"));
  const Json tools = client.legacy(session, "tools/list", kNone)["result"];
  EXPECT_EQ(tools.size(), 1u);
  EXPECT_EQ(tools["tools"].size(), example_registry().tools.size());
  EXPECT_EQ(client.legacy(session, "resources/list", kNone)["result"].size(),
            1u);
  EXPECT_EQ(
      client
          .legacy(session, "prompts/get",
                  {{"name", "greet"}, {"arguments", {{"name", "A"}}}})["result"]
          .size(),
      1u);
}

TEST(McpLegacy, UsesLegacyErrorCodes) {
  McpFixture client;
  const std::string session = client.initialize("2025-11-25");
  const auto exchange = client.post_legacy(
      session, legacy_request(9, "resources/read", {{"uri", "test://no"}}));
  ASSERT_TRUE(exchange->wait_for_end());
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->messages()[0]["error"]["code"], -32002);
  const auto unknown =
      client.post_legacy(session, legacy_request(9, "server/discover", kNone));
  EXPECT_EQ(unknown->status(), 200);
  EXPECT_EQ(unknown->messages()[0]["error"]["code"], -32601);
  EXPECT_EQ(client.legacy(session, "logging/setLevel",
                          {{"level", "loud"}})["error"]["code"],
            -32602);
  EXPECT_EQ(
      client.legacy(session, "tasks/get", {{"taskId", "x"}})["error"]["code"],
      -32601);
}

TEST(McpLegacy, DowngradesContentForOldVersions) {
  McpFixture client;
  const auto blocks = [&](std::string_view version) {
    return client.legacy(client.initialize(version), "tools/call",
                         {{"name", "blocks"}})["result"]["content"];
  };
  EXPECT_EQ(blocks("2025-06-18")[0]["type"], "resource_link");
  EXPECT_EQ(blocks("2025-03-26")[0],
            Json({{"type", "text"}, {"text", "A: test://a"}}));
  EXPECT_EQ(blocks("2025-03-26")[1]["type"], "audio");
  EXPECT_EQ(blocks("2024-11-05")[1]["resource"]["blob"], "AAAA");
  const std::string session = client.initialize("2025-11-25");
  EXPECT_EQ(
      client.legacy(session, "tools/call", {{"name", "number"}})["result"],
      text_result("7"));
  const Json tools =
      client.legacy(session, "tools/list", kNone)["result"]["tools"];
  for (const Json& tool : tools) {
    EXPECT_EQ(tool.contains("outputSchema"),
              tool["name"] == "echo" || tool["name"] == "liar");
  }
}

TEST(McpMethods, AreUniqueAndHaveAnEra) {
  std::set<std::string_view> names;
  for (const McpMethodRow& row : kMcpMethods) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.is_modern || row.is_legacy) << row.name;
    EXPECT_EQ(find_method(row.name, Era::Modern) != nullptr, row.is_modern);
    EXPECT_EQ(find_method(row.name, Era::Legacy) != nullptr, row.is_legacy);
  }
}

}  // namespace
}  // namespace lamarck::mcp
