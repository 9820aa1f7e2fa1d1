#include "lamarck/agent/tool_registry.h"

#include <gtest/gtest.h>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/agent/temporary_folder_fixture.h"
#include "lamarck/llm/scripted_server_fixture.h"

namespace lamarck::agent {
namespace {

Tool counting_tool(ToolFunction run, ToolLimits limits = {}) {
  return {
      .info = {.name = "count",
               .input_schema = {{"type", "object"},
                                {"properties", {{"n", {{"type", "integer"}}}}},
                                {"required", {"n"}}}},
      .limits = limits,
      .run = std::move(run)};
}

TEST(ToolRegistry, ChecksArgumentsBeforeTheCall) {
  int calls = 0;
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(counting_tool(
      [&](const Json& arguments, const ToolContext&) -> Result<Json> {
        ++calls;
        return arguments["n"];
      })));

  EXPECT_EQ(registry.call("count", {{"n", 3}}, {}).value(), 3);
  EXPECT_EQ(registry.call("count", {{"n", "4"}}, {}).value(), 4);
  EXPECT_FALSE(registry.call("count", {{"n", "four"}}, {}));
  EXPECT_FALSE(registry.call("count", Json::object(), {}));
  EXPECT_EQ(registry.call("cuont", {{"n", 3}}, {}).error().message(),
            "There is no tool 'cuont'; did you mean 'count'?");
  EXPECT_EQ(calls, 2);
}

TEST(ToolRegistry, EndsCallAtTimeLimit) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(counting_tool(
      [](const Json&, const ToolContext& context) -> Result<Json> {
        context.cancel.wait_for(std::chrono::minutes(5));
        return context.cancel.check().error();
      },
      {.time = std::chrono::milliseconds(5)})));

  EXPECT_EQ(registry.call("count", {{"n", 1}}, {}).error().code(),
            ErrorCode::Timeout);
}

TEST(ToolRegistry, RefusesResultsThatAreTooLarge) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(counting_tool(
      [](const Json&, const ToolContext&) -> Result<Json> {
        return Json(std::string(1000, 'x'));
      },
      {.output_bytes = 100})));

  EXPECT_EQ(registry.call("count", {{"n", 1}}, {}).error().code(),
            ErrorCode::BudgetExceeded);
}

TEST(ToolRegistry, RefusesBadNamesAndDuplicates) {
  ToolRegistry registry;
  Tool tool = counting_tool({});
  ASSERT_TRUE(registry.add(tool));
  EXPECT_EQ(registry.add(tool).error().code(), ErrorCode::AlreadyExists);
  tool.info.name = "two words";
  EXPECT_FALSE(registry.add(tool));
}

// A workspace with the built-in tools.
struct BuiltinStage {
  explicit BuiltinStage(HttpToolOptions http = {}) {
    const auto added = add_builtin_tools(
        registry, {.workspace = Workspace::open(folder.path()).value(),
                   .http = std::move(http)});
    EXPECT_TRUE(added);
  }
  Result<Json> call(std::string_view tool, const Json& arguments) const {
    return registry.call(tool, arguments, {});
  }

  TemporaryFolder folder;
  ToolRegistry registry;
};

TEST(BuiltinTools, ReadWriteListAndDeleteFiles) {
  const BuiltinStage stage;
  ASSERT_TRUE(
      stage.call("file_write", {{"path", "a.json"}, {"content", {{"x", 1}}}}));

  EXPECT_EQ(stage.call("file_read", {{"path", "a.json"}, {"format", "json"}})
                .value()["value"]["x"],
            1);
  EXPECT_EQ(stage.call("file_list", Json::object()).value()["entries"].size(),
            1U);
  EXPECT_TRUE(stage.call("file_delete", {{"path", "a.json"}}));
  EXPECT_FALSE(stage.call("file_delete", {{"path", "a.json"}}));
  EXPECT_FALSE(stage.call("file_read", {{"path", "../a"}}));
}

TEST(BuiltinTools, ComputeStatisticsOfTable) {
  const BuiltinStage stage;
  stage.folder.write("t.csv", "city,price\nBern,1\nBern,2\nUri,6\nUri,\n");

  const Json found = stage.call("csv_statistics", {{"path", "t.csv"}}).value();
  EXPECT_EQ(found["rows"], 4);
  EXPECT_EQ(found["columns"]["price"]["mean"], 3.0);
  EXPECT_EQ(found["columns"]["price"]["median"], 2.0);
  EXPECT_EQ(found["columns"]["price"]["missing"], 1);
  EXPECT_EQ(found["columns"]["city"]["most_common"], "Bern");
  EXPECT_FALSE(stage.call("csv_statistics",
                          {{"path", "t.csv"}, {"columns", {"prize"}}}));
}

TEST(BuiltinTools, EvaluateFormulas) {
  const BuiltinStage stage;
  EXPECT_EQ(stage
                .call("formula_evaluate", {{"formula", "a*x^2 + 1"},
                                           {"values", {{"a", 2}, {"x", 3}}}})
                .value()["value"],
            19.0);
  EXPECT_EQ(
      stage.call("formula_evaluate", {{"formula", "a + 1"}}).error().message(),
      "The formula needs a value for 'a'.");
  EXPECT_FALSE(stage.call("formula_evaluate", {{"formula", "1/0"}}));
}

TEST(BuiltinTools, RunPythonInSandbox) {
  const BuiltinStage stage;
  if (stage.registry.find("python_run") == nullptr) {
    GTEST_SKIP() << "There is no sandbox.";
  }
  const Json found =
      stage
          .call("python_run", {{"code", "print('hi')\nresult = sum(data)"},
                               {"data", {1, 2, 3}}})
          .value();
  EXPECT_EQ(found["result"], 6);
  EXPECT_EQ(found["output"], "hi\n");
  EXPECT_FALSE(stage.call("python_run", {{"code", "import nothing_like_it"}}));
  EXPECT_FALSE(stage.call(
      "python_run",
      {{"code", "open('" + (stage.folder.path() / "x").string() + "', 'w')"}}));
}

std::string port_of(const llm::ScriptedServer& server) {
  const std::string url = server.base_url();
  const auto begin = url.rfind(':') + 1;
  return url.substr(begin, url.find('/', begin) - begin);
}

TEST(HttpTools, CallAllowedHostsOnly) {
  const llm::ScriptedServer server({llm::http_scene(
      200, R"({"x":1})", "Content-Type: application/json\r\n")});
  const std::string host = "127.0.0.1:" + port_of(server);
  const BuiltinStage stage(
      {.allowed_hosts = {host}, .allows_private_addresses = true});

  EXPECT_EQ(stage.call("http_get", {{"url", "http://" + host + "/a"}})
                .value()["json"]["x"],
            1);
  EXPECT_TRUE(stage.call(
      "http_post", {{"url", "http://" + host + "/"}, {"body", {{"y", 2}}}}));
  EXPECT_EQ(server.requests().at(1).body, R"({"y":2})");
  for (const char* url :
       {"http://127.0.0.1:1/", "http://localhost/", "file:///etc/passwd",
        "http://user:password@127.0.0.1/", "gopher://127.0.0.1", "nonsense"}) {
    EXPECT_FALSE(stage.call("http_get", {{"url", url}})) << url;
  }
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(HttpTools, RefusePrivateAddresses) {
  const llm::ScriptedServer server({llm::http_scene(200, "x")});
  const std::string host = "127.0.0.1:" + port_of(server);
  const BuiltinStage stage({.allowed_hosts = {host, "localhost"}});

  const auto found = stage.call("http_get", {{"url", "http://" + host + "/"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::PermissionDenied)
      << found.error().message();
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpTools, CheckRedirectsAgain) {
  const llm::ScriptedServer other({llm::http_scene(200, "secret")});
  const llm::ScriptedServer server({llm::http_scene(
      302, "", "Location: http://127.0.0.1:" + port_of(other) + "/\r\n")});
  const std::string host = "127.0.0.1:" + port_of(server);
  const BuiltinStage stage(
      {.allowed_hosts = {host}, .allows_private_addresses = true});

  EXPECT_EQ(
      stage.call("http_get", {{"url", "http://" + host + "/"}}).error().code(),
      ErrorCode::PermissionDenied);
  EXPECT_TRUE(other.requests().empty());
}

TEST(HttpTools, MatchHostPatterns) {
  const std::set<std::string, std::less<>> allowed = {"a.com", "*.b.org",
                                                      "c.net:8080"};
  EXPECT_TRUE(is_allowed_host(allowed, "A.com", "443"));
  EXPECT_TRUE(is_allowed_host(allowed, "a.com.", "80"));
  EXPECT_TRUE(is_allowed_host(allowed, "x.y.b.org", "80"));
  EXPECT_TRUE(is_allowed_host(allowed, "c.net", "8080"));
  EXPECT_FALSE(is_allowed_host(allowed, "c.net", "80"));
  EXPECT_FALSE(is_allowed_host(allowed, "b.org", "80"));
  EXPECT_FALSE(is_allowed_host(allowed, "xb.org", "80"));
  EXPECT_FALSE(is_allowed_host(allowed, "a.com.evil.org", "80"));
}

}  // namespace
}  // namespace lamarck::agent
