#include <gtest/gtest.h>

#include "lamarck/agent/agent_runner_fixture.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_samples_fixture.h"

namespace lamarck::agent {
namespace {

// An agent with the skills "Add one" and "Add two", and their composition.
struct SkillStepStage : RunnerStage {
  SkillStepStage() {
    store = std::move(skills::open_sqlite_skill_store({}, clock)).value();
    options.agent =
        store->create_agent(skills::sample_agent("local", "worker")).value();
    add_skill(adding_skill("Add one", 1));
    add_skill(adding_skill("Add two", 2));
    library = std::move(skills::SkillLibrary::open(*store, {}, clock)).value();
    options.library = library.get();
  }
  static skills::SkillDraft adding_skill(const std::string& name, int number) {
    skills::SkillDraft draft = skills::sample_draft(name);
    draft.parameters = {{"n", {{"type", "integer"}, {"required", true}}}};
    draft.steps = {
        {.tool = "add", .arguments = {{"a", {{"$param", "n"}}}, {"b", number}}},
        {.tool = "add",
         .arguments = {{"a", {{"$result", {{"step", 1}, {"path", "/sum"}}}}},
                       {"b", 0}}}};
    return draft;
  }
  skills::Skill add_skill(const skills::SkillDraft& draft) {
    auto registration = skills::sample_registration(options.agent, draft.name);
    registration.skill.definition = draft;
    registration.skill.status = skills::SkillStatus::AutoApproved;
    return store->register_skill(registration).value();
  }
  std::int64_t uses(const std::string& name) {
    return store->usable_skill("local", options.agent.id, name)->use_count;
  }

  std::unique_ptr<skills::SkillStore> store;
  std::unique_ptr<skills::SkillLibrary> library;
};

constexpr std::string_view kBoth = R"({"params": {"n": 5}, "steps": [
  {"tool": "skill:Add one", "arguments": {"n": {"$param": "n"}}},
  {"tool": "skill:Add two", "arguments": {
    "n": {"$result": {"step": 1, "path": "/sum"}}}}]})";

TEST(AgentSkillSteps, RunsCalledSkillsAndPassesTheirResultsOn) {
  SkillStepStage stage;
  const auto run = stage.run(kBoth).value();

  EXPECT_EQ(run.answer, R"({"sum":8})") << run.reflection->summary;
  EXPECT_EQ(stage.calls["add"], 4);
  EXPECT_EQ(stage.uses("Add one"), 1);
  EXPECT_EQ(stage.uses("Add two"), 1);
}

TEST(AgentSkillSteps, ComposedSkillsCallSkillsThatCallSkills) {
  SkillStepStage stage;
  const auto draft = [&](const char* name) {
    return stage.store->usable_skill("local", stage.options.agent.id, name)
        ->definition;
  };
  stage.add_skill(skills::compose_skills("Add three", "Adds one, then two.",
                                         {draft("Add one"), draft("Add two")}));
  const auto run = stage.run(
      R"([{"tool": "skill:Add three", "arguments": {"n": 1}},
          {"tool": "add", "arguments":
            {"a": {"$result": {"step": 1, "path": "/sum"}}, "b": 10}}])");

  EXPECT_EQ(run->answer, R"({"sum":13})") << run->reflection->summary;
  EXPECT_EQ(stage.uses("Add three"), 1);
  EXPECT_EQ(stage.uses("Add two"), 1);
}

TEST(AgentSkillSteps, EveryPrefixOfEventsResumesToTheSameAnswer) {
  SkillStepStage whole;
  const auto run = whole.run(kBoth).value();
  const std::size_t size = whole.journal->events(run.id)->size();
  for (std::size_t count = 1; count < size; ++count) {
    SkillStepStage other;
    other.seed = 100;
    other.copy_run(whole, run.id, count);
    const auto resumed = other.runner().resume(run.id, {});
    ASSERT_TRUE(resumed) << count << " " << resumed.error().message();
    EXPECT_EQ(resumed->answer, run.answer) << count;
  }
}

TEST(AgentSkillSteps, FailureOfACalledSkillFailsTheStepAndIsReported) {
  SkillStepStage stage;
  auto broken = SkillStepStage::adding_skill("Break", 1);
  broken.steps[1] = {.tool = "fail", .arguments = Json::object()};
  const skills::Skill skill = stage.add_skill(broken);
  const auto run = stage.run(R"([{"tool": "skill:Break", "arguments": {"n": 1}},
                    {"tool": "add", "arguments": {"a": 1, "b": 1}}])");

  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(stage.calls["add"], 1);
  EXPECT_EQ(run->reflection->summary,
            "The skill 'Break' failed: fail failed: It never works.");
  const auto counted = stage.store->skill("local", skill.id).value();
  EXPECT_EQ(counted.use_count, 1);
  EXPECT_EQ(counted.success_count, 0);
}

TEST(AgentSkillSteps, RefusesUnknownCyclicAndBadlyCalledSkills) {
  SkillStepStage stage;
  auto cyclic = SkillStepStage::adding_skill("Cycle", 1);
  cyclic.steps = {
      {.tool = "skill:Cycle", .arguments = {{"n", {{"$param", "n"}}}}}};
  stage.add_skill(cyclic);
  const auto summary = [&](std::string_view plan) {
    return stage.run(plan)->reflection->summary;
  };
  const auto unknown = stage.run(R"([{"tool": "skill:None"}])");
  EXPECT_NE(unknown.error().message().find("None"), std::string::npos);
  EXPECT_NE(summary(R"([{"tool": "skill:Cycle", "arguments": {"n": 1}}])")
                .find("would call itself"),
            std::string::npos);
  EXPECT_NE(summary(R"([{"tool": "skill:Add one", "arguments": {"n": "x"}}])")
                .find("n"),
            std::string::npos);
  EXPECT_EQ(stage.calls["add"], 0);
}

}  // namespace
}  // namespace lamarck::agent
