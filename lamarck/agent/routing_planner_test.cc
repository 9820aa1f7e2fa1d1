#include "lamarck/agent/routing_planner.h"

#include <gtest/gtest.h>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/llm/http_chat_model.h"
#include "lamarck/llm/scripted_server_fixture.h"
#include "lamarck/store/memory_journal.h"
#include "lamarck/text/lexical_embedder.h"

namespace lamarck::agent {
namespace {

llm::ServerScene routed_scene(const std::string& name, const Json& arguments) {
  Json calls = Json::array();
  if (!name.empty()) {
    calls.push_back(
        {{"id", "c_" + name},
         {"type", "function"},
         {"function", {{"name", name}, {"arguments", dump_json(arguments)}}}});
  }
  return llm::http_scene(
      200,
      dump_json(Json{
          {"choices",
           {{{"message", {{"content", "None fits."}, {"tool_calls", calls}}},
             {"finish_reason", name.empty() ? "stop" : "tool_calls"}}}},
          {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5}}}}));
}

// One tool, and a skill that runs it three times.
struct RoutingStage {
  explicit RoutingStage(std::vector<llm::ServerScene> scenes)
      : server(std::move(scenes)),
        model(llm::HttpChatModel::open(
                  {.model = "m"}, llm::ModelEndpoint::open(
                                      {.base_url = server.base_url()}, clock)
                                      .value())
                  .value()) {
    EXPECT_TRUE(tools.add(
        {.info = {.name = "stamp",
                  .description = "Stamps a paper.",
                  .input_schema = {{"type", "object"}, {"required", {"paper"}}},
                  .is_idempotent = true},
         .limits = {},
         .run = [this](const Json& given, const ToolContext&) -> Result<Json> {
           if (fails) return invalid_argument("The ink is dry.");
           stamped.push_back(given["paper"]);
           return Json{{"mark", stamped.size()}};
         }}));
    options.agent = store->create_agent(options.agent).value();
    library =
        skills::SkillLibrary::open(*store, {.find_tool = tools.finder()}, clock)
            .value();
    skills::SkillStore::Registration given;
    given.skill.org_id = "local";
    given.skill.agent_id = options.agent.id;
    given.skill.status = skills::SkillStatus::Approved;
    skills::SkillDraft& draft = given.skill.definition;
    draft.name = "Stamp thrice";
    draft.description = "Stamp the paper (paper) three times.";
    draft.trigger_keywords = {"stamp", "paper", "three"};
    draft.tools_used = {"stamp"};
    draft.parameters = {{"paper", {{"type", "string"}}}};
    for (int i = 0; i < 3; ++i) {
      draft.steps.push_back({.action = "",
                             .tool = "stamp",
                             .arguments = {{"paper", {{"$param", "paper"}}}}});
    }
    draft.evals = {{{"request", "Stamp A7"}, {"arguments", {{"paper", "A7"}}}}};
    given.embedder_id = library->embedder().id();
    given.embedding =
        text::LexicalEmbedder().embed({draft.description}, {}).value().front();
    EXPECT_TRUE(store->register_skill(given));
    options.library = library.get();
    options.planner = std::make_shared<RoutingPlanner>(
        RoutingPlannerOptions{.agent = options.agent}, *model, tools,
        library.get());
  }
  AgentRun run(const std::string& task) {
    AgentRunner runner(options, tools, *journal, clock, Rng(1));
    return runner.run(task, std::nullopt, {}).value();
  }
  Json sent(std::size_t index) {
    return parse_json(server.requests().at(index).body).value();
  }

  SystemClock clock;
  llm::ScriptedServer server;
  std::unique_ptr<llm::HttpChatModel> model;
  ToolRegistry tools;
  std::unique_ptr<store::Journal> journal = store::make_memory_journal();
  std::unique_ptr<skills::SkillStore> store =
      skills::open_sqlite_skill_store({}, clock).value();
  std::unique_ptr<skills::SkillLibrary> library;
  AgentRunnerOptions options{.agent = {.org_id = "local", .name = "a"}};
  std::vector<Json> stamped;
  bool fails = false;
};

TEST(RoutingPlanner, OneCallOfASkillIsTheWholePlan) {
  RoutingStage stage({routed_scene("stamp_thrice", {{"paper", "B9"}})});
  const AgentRun run = stage.run("Stamp the paper B9 three times");

  EXPECT_TRUE(run.reflection->success);
  EXPECT_EQ(stage.stamped, (std::vector<Json>{"B9", "B9", "B9"}));
  ASSERT_EQ(stage.server.requests().size(), 1u);
  EXPECT_EQ(run.tokens, 15);
  const Json request = stage.sent(0);
  ASSERT_EQ(request["tools"].size(), 1u);
  const Json& function = request["tools"][0]["function"];
  EXPECT_EQ(function["name"], "stamp_thrice");
  EXPECT_EQ(function["parameters"]["properties"]["paper"]["x-shapes"],
            Json::array({"W9"}));
  EXPECT_EQ(request["messages"].size(), 1u);
}

TEST(RoutingPlanner, AsksForToolsOneByOneIfTheModelAbstains) {
  RoutingStage stage({routed_scene("", {}),
                      routed_scene("stamp", {{"paper", "B9"}}),
                      routed_scene("stamp", {{"paper", "C1"}}),
                      routed_scene("stamp", {{"paper", "B9"}})});
  const AgentRun run = stage.run("Stamp the paper B9 three times");

  EXPECT_TRUE(run.reflection->success);
  // The last call repeats the first and ends the run.
  EXPECT_EQ(stage.stamped, (std::vector<Json>{"B9", "C1"}));
  EXPECT_EQ(stage.server.requests().size(), 4u);
  EXPECT_EQ(run.tokens, 60);
  EXPECT_EQ(stage.sent(1)["tools"][0]["function"]["name"], "stamp");
  const Json messages = stage.sent(2)["messages"];
  EXPECT_EQ(messages.back()["role"], "tool");
  EXPECT_NE(messages.back()["content"].get<std::string>().find("mark"),
            std::string::npos);
}

TEST(RoutingPlanner, FallsBackToToolsIfASkillFails) {
  RoutingStage stage(
      {routed_scene("stamp_thrice", {{"paper", "B9"}}), routed_scene("", {})});
  stage.fails = true;
  const AgentRun run = stage.run("Stamp the paper B9 three times");

  EXPECT_FALSE(run.reflection->success);
  ASSERT_EQ(stage.server.requests().size(), 2u);
  EXPECT_EQ(stage.sent(1)["tools"][0]["function"]["name"], "stamp");
}

TEST(RoutingPlanner, NamesOfSkillsAreDistinctIdentifiers) {
  std::vector<skills::Skill> skills(3);
  skills[0].definition.name = "Book a flight!";
  skills[1].definition.name = "Book-a-flight";
  skills[2].definition.name = "\xC3\xA9";
  const auto functions = skill_functions(skills);
  EXPECT_EQ(functions[0].name, "book_a_flight");
  EXPECT_EQ(functions[1].name, "book_a_flight_2");
  EXPECT_EQ(functions[2].name, "skill");
}

}  // namespace
}  // namespace lamarck::agent
