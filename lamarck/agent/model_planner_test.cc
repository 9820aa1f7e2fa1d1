#include "lamarck/agent/model_planner.h"

#include <gtest/gtest.h>

#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/scripted_server_fixture.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::agent {
namespace {

// A reply with calls: {{name, arguments}, ...}.
llm::ServerScene calls_scene(
    const std::vector<std::pair<std::string, Json>>& calls) {
  Json list = Json::array();
  for (const auto& [name, arguments] : calls) {
    list.push_back(
        {{"id", "c" + std::to_string(list.size())},
         {"type", "function"},
         {"function", {{"name", name}, {"arguments", dump_json(arguments)}}}});
  }
  return llm::http_scene(
      200,
      dump_json(Json{
          {"choices",
           {{{"message", {{"content", "I use tools."}, {"tool_calls", list}}},
             {"finish_reason", "tool_calls"}}}},
          {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5}}}}));
}

struct PlannerStage {
  explicit PlannerStage(std::vector<llm::ServerScene> scenes,
                        bool uses_json = false)
      : server(std::move(scenes)),
        model(llm::HttpChatModel::open(
                  {.model = "m"}, llm::ModelEndpoint::open(
                                      {.base_url = server.base_url()}, clock)
                                      .value())
                  .value()) {
    EXPECT_TRUE(tools.add(
        {.info = {.name = "math.add",
                  .description = "Adds.",
                  .input_schema = {{"type", "object"},
                                   {"required", {"a", "b"}}},
                  .is_idempotent = true},
         .limits = {},
         .run = [](const Json& given, const ToolContext&) -> Result<Json> {
           return Json{{"sum", given["a"].get<int>() + given["b"].get<int>()}};
         }}));
    options.planner = std::make_shared<ModelPlanner>(
        ModelPlannerOptions{.agent = options.agent,
                            .uses_json_protocol = uses_json},
        *model, tools, nullptr, &thoughts);
  }
  Result<AgentRun> run(const std::string& task) {
    AgentRunner runner(options, tools, *journal, clock, Rng(1));
    return runner.run(task, std::nullopt, {});
  }

  SystemClock clock;
  llm::ScriptedServer server;
  std::unique_ptr<llm::HttpChatModel> model;
  ToolRegistry tools;
  std::unique_ptr<store::Journal> journal = store::make_memory_journal();
  thought::ThoughtEngine thoughts{{}, *journal, clock, Rng(2)};
  AgentRunnerOptions options{.agent = {.org_id = "local", .name = "a"}};
};

const Json kFinish = {{"answer", "7"},
                      {"success", true},
                      {"summary", "Added."},
                      {"reusability", 0.9}};

TEST(ModelPlanner, CallsToolsUntilTheModelFinishes) {
  PlannerStage stage({calls_scene({{"math__add", {{"a", 1}, {"b", 2}}},
                                   {"math__add", {{"a", 2}, {"b", 2}}}}),
                      calls_scene({{"finish", kFinish}})});
  const auto run = stage.run("Add 1 and 2");

  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->answer, "7");
  EXPECT_TRUE(run->reflection->success);
  EXPECT_EQ(run->calls.size(), 2U);
  EXPECT_EQ(run->model_calls, 2);
  EXPECT_EQ(run->tokens, 30);
  const std::string second = stage.server.requests().at(1).body;
  EXPECT_NE(second.find(R"(\"untrusted_result\":{\"sum\":4})"),
            std::string::npos)
      << second;
}

TEST(ModelPlanner, RecordsPlanAsThoughtSession) {
  PlannerStage stage({calls_scene({{"math__add", {{"a", 1}, {"b", 2}}}}),
                      calls_scene({{"finish", kFinish}})});
  const auto run = stage.run("Add 1 and 2").value();

  ASSERT_FALSE(run.session_id.empty());
  const auto session = stage.thoughts.session(run.session_id).value();
  EXPECT_EQ(session.first_evidence, "success");
  EXPECT_EQ(session.branches.at("main").plan_type, "ExecutionPlan");
}

TEST(ModelPlanner, ReturnsErrorsToTheModel) {
  PlannerStage stage({calls_scene({{"math__sub", {{"a", 1}}},
                                   {"math__add", {{"a", 1}}},
                                   {"finish", kFinish}}),
                      calls_scene({{"finish", kFinish}})});
  const auto run = stage.run("Add 1 and 2").value();

  EXPECT_TRUE(run.calls.empty());
  const std::string second = stage.server.requests().at(1).body;
  for (const char* part : {"There is no tool", "Call finish alone"}) {
    EXPECT_NE(second.find(part), std::string::npos) << part << second;
  }
}

TEST(ModelPlanner, AnswersWithoutTools) {
  PlannerStage stage({llm::chat_scene("Hello.")});
  const auto run = stage.run("Say hello").value();

  EXPECT_EQ(run.answer, "Hello.");
  EXPECT_EQ(run.reflection->reusability, 0);
}

TEST(ModelPlanner, StopsWhenTokensAreUsedUp) {
  PlannerStage stage({calls_scene({{"finish", kFinish}})});
  stage.options.limits.tokens = 10;

  EXPECT_EQ(stage.run("Add").error().code(), ErrorCode::BudgetExceeded);
  EXPECT_TRUE(stage.server.requests().empty());
}

TEST(ModelPlanner, ChecksProvenanceInJsonProtocol) {
  PlannerStage stage(
      {llm::chat_scene(R"(Sure: {"calls": [{"name": "math__add",
                          "arguments": {"a": 1, "b": 99}}]})"),
       llm::chat_scene(R"({"calls": [{"name": "math__add",
                          "arguments": {"a": 1, "b": 2}}]})"),
       llm::chat_scene(R"({"calls": [{"name": "finish", "arguments":
                          {"answer": "3", "success": true}}]})")},
      true);
  const auto run = stage.run("Add 1 and 2").value();

  EXPECT_EQ(run.answer, "3");
  ASSERT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(run.calls[0].call.result["sum"], 3);
  EXPECT_NE(stage.server.requests().at(1).body.find("must come from the task"),
            std::string::npos);
  EXPECT_NE(stage.server.requests().at(0).body.find("response_format"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::agent
