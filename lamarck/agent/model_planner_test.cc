#include "lamarck/agent/model_planner.h"

#include <gtest/gtest.h>

#include <map>

#include "lamarck/agent/delegate_tool.h"
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

TEST(ModelPlanner, ForksTheSessionWhereTheModelComparesWays) {
  PlannerStage stage(
      {calls_scene({{"compare_ways",
                     {{"ways",
                       {{{"name", "Once"}, {"plan", "Add both at once."}},
                        {{"name", "Twice"}, {"plan", "Add one by one."}}}},
                      {"choose", "Once"},
                      {"why", "It is shorter."}}}}),
       calls_scene({{"compare_ways", {{"ways", Json::array()}}},
                    {"math__add", {{"a", 1}, {"b", 2}}}}),
       calls_scene({{"finish", kFinish}})});
  const auto run = stage.run("Add 1 and 2").value();

  EXPECT_TRUE(run.reflection->success);
  EXPECT_EQ(run.calls.size(), 1U);
  const auto session = stage.thoughts.session(run.session_id).value();
  ASSERT_EQ(session.branches.size(), 3U);
  std::map<std::string, thought::BranchState> states;
  for (const auto& [id, branch] : session.branches) {
    states[branch.name] = branch.state;
  }
  EXPECT_EQ(states["Twice"], thought::BranchState::EarlyStopped);
  EXPECT_EQ(session.event_counts.at("merge"), 1);
  EXPECT_EQ(session.first_evidence, "success");
  EXPECT_NE(stage.server.requests().at(1).body.find(R"(\"take\":\"Once\")"),
            std::string::npos);
  EXPECT_NE(stage.server.requests().at(2).body.find("2 to 4 ways"),
            std::string::npos);
}

TEST(ModelPlanner, DelegatesToAgentsThatPlanThemselves) {
  PlannerStage stage(
      {calls_scene({{"delegate", {{"agent", "adder"}, {"task", "Add 1, 2"}}}}),
       calls_scene({{"math__add", {{"a", 1}, {"b", 2}}}}),
       calls_scene({{"finish", {{"answer", "3"}, {"success", true}}}}),
       calls_scene({{"finish", kFinish}})});
  const skills::AgentRecord adder{.org_id = "local", .name = "adder"};
  ASSERT_TRUE(add_delegate_tool(stage.tools, {adder}));
  stage.options.find_delegate = [&](const std::string&) {
    return Result<DelegateAgent>(
        {.agent = adder, .planner = stage.options.planner});
  };
  const auto run = stage.run("Let it add 1 and 2").value();

  EXPECT_EQ(run.answer, "7");
  ASSERT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(run.calls[0].call.result["answer"], "3");
  EXPECT_EQ(run.tokens, 60);  // Of both agents.
  EXPECT_EQ(run.model_calls, 2);
  EXPECT_NE(stage.server.requests().at(1).body.find("Add 1, 2"),
            std::string::npos);
  EXPECT_EQ(stage.server.requests().at(1).body.find("Let it add"),
            std::string::npos);
}

TEST(ModelPlanner, SendsTheConversationSoFar) {
  PlannerStage stage({llm::chat_scene("Bern.")});
  stage.options.previous = "agent_0";
  stage.options.history = {{{"role", "user"}, {"content", "Hello"}},
                           {{"role", "assistant"}, {"content", "Hi."}}};
  const auto run = stage.run("The capital of it?").value();

  EXPECT_EQ(run.previous, "agent_0");
  const Json sent =
      parse_json(stage.server.requests().at(0).body).value()["messages"];
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(sent[2]["content"], "Hi.");
  EXPECT_EQ(sent[3]["content"], "The capital of it?");
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

TEST(ModelPlanner, AnswersWhenStepsAreUsedUp) {
  PlannerStage stage({calls_scene({{"math__add", {{"a", 1}, {"b", 2}}},
                                   {"math__add", {{"a", 3}, {"b", 4}}}}),
                      calls_scene({{"finish", kFinish}})});
  stage.options.limits.evaluations = 1;
  const auto run = stage.run("Add").value();

  EXPECT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(run.answer, "7");
  EXPECT_NE(stage.server.requests().at(1).body.find("The limit of 1 steps"),
            std::string::npos);
}

TEST(ModelPlanner, EndsWhenTheModelIgnoresTheLimitOfSteps) {
  PlannerStage stage({calls_scene({{"math__add", {{"a", 1}, {"b", 2}}}})});
  stage.options.limits.evaluations = 1;
  const auto run = stage.run("Add").value();

  EXPECT_FALSE(run.reflection->success);
  EXPECT_EQ(run.calls.size(), 1U);
  EXPECT_EQ(run.model_calls, 3);
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
