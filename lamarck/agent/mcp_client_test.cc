#include "lamarck/agent/mcp_client.h"

#include <gtest/gtest.h>

#include <thread>
#include <nlohmann/json.hpp>

#include "lamarck/agent/temporary_folder_fixture.h"

namespace lamarck::agent {
namespace {

// Two pages of tools; `slow` never answers, `end` ends the process.
constexpr std::string_view kServer = R"PY(import json, os, sys
def tool(name, **hints):
    return {'name': name, 'description': name, 'annotations': hints,
            'inputSchema': {'$schema': 'http://json-schema.org/draft-07/schema#',
                            'type': 'object'}}
cancelled = []
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get('method'), message.get('params', {})
    if method == 'notifications/cancelled':
        cancelled.append(params['requestId'])
    if 'id' not in message or not method:
        continue
    if method == 'initialize':
        result = {'protocolVersion': params['protocolVersion'],
                  'serverInfo': {'name': 'test', 'version': '1'}}
        print(json.dumps({'jsonrpc': '2.0', 'id': 'x', 'method': 'ping'}))
    elif method == 'tools/list':
        result = ({'tools': [tool('echo', readOnlyHint=True), tool('slow')],
                   'nextCursor': '2'} if 'cursor' not in params
                  else {'tools': [tool('fail', destructiveHint=True), tool('end'), tool('state')]})
    elif params['name'] == 'echo':
        result = {'content': [{'type': 'text', 'text': json.dumps(params['arguments'])}]}
    elif params['name'] == 'slow':
        continue
    elif params['name'] == 'fail':
        result = {'isError': True, 'content': [{'type': 'text', 'text': 'No luck.'}]}
    elif params['name'] == 'state':
        result = {'content': [], 'structuredContent':
                  {'cancelled': len(cancelled), 'key': os.environ.get('OPENAI_API_KEY')}}
    else:
        sys.exit(0)
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
)PY";

struct McpStage {
  McpStage() {
    folder.write("server.py", std::string(kServer));
    setenv("OPENAI_API_KEY", "sk-secret", 1);
    client =
        McpClient::start(
            {.name = "t",
             .command = {"python3", (folder.path() / "server.py").string()}},
            {})
            .value();
  }
  TemporaryFolder folder;
  std::shared_ptr<McpClient> client;
};

TEST(McpClient, OffersToolsOfAllPages) {
  McpStage stage;
  ToolRegistry registry;
  ASSERT_TRUE(add_mcp_tools(registry, stage.client, {}));

  EXPECT_EQ(stage.client->server_info()["name"], "test");
  EXPECT_EQ(registry.tools().size(), 5U);
  const Tool* echo = registry.find("t.echo");
  ASSERT_NE(echo, nullptr);
  EXPECT_TRUE(echo->info.is_idempotent);
  EXPECT_FALSE(echo->info.capabilities.has(skills::Capability::Executes));
  EXPECT_TRUE(registry.find("t.fail")->info.capabilities.has(
      skills::Capability::Deletes));
  EXPECT_EQ(registry.call("t.echo", {{"x", 1}}, {}).value()["x"], 1);
}

TEST(McpClient, ReportsErrorsOfTools) {
  McpStage stage;
  EXPECT_EQ(stage.client->call("fail", Json::object(), {}).error().message(),
            "fail failed: No luck.");
}

TEST(McpClient, CancelsCallsAndGoesOn) {
  McpStage stage;
  CancelSource cancel;
  std::thread later([&] { cancel.cancel("Enough."); });
  EXPECT_EQ(
      stage.client->call("slow", Json::object(), cancel.token()).error().code(),
      ErrorCode::Cancelled);
  later.join();
  const Json state = stage.client->call("state", Json::object(), {}).value();
  EXPECT_EQ(state["cancelled"], 1);
  EXPECT_TRUE(state["key"].is_null());  // Our keys do not reach the server.
}

TEST(McpClient, NoticesThatServerEnded) {
  McpStage stage;
  EXPECT_EQ(stage.client->call("end", Json::object(), {}).error().code(),
            ErrorCode::Unavailable);
  EXPECT_EQ(stage.client->call("echo", Json::object(), {}).error().code(),
            ErrorCode::Unavailable);
}

TEST(McpClient, ReportsCommandThatCannotStart) {
  EXPECT_FALSE(McpClient::start({.name = "t", .command = {"/no/server"}}, {}));
}

TEST(McpClient, ParsesCommands) {
  const auto parsed = parse_mcp_server("fs=npx 'a b' \"c d\"  e");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->name, "fs");
  EXPECT_EQ(parsed->command,
            (std::vector<std::string>{"npx", "a b", "c d", "e"}));
  EXPECT_FALSE(parse_mcp_server("fs"));
  EXPECT_FALSE(parse_mcp_server("=x"));
  EXPECT_FALSE(parse_mcp_server("fs='x"));
}

}  // namespace
}  // namespace lamarck::agent
