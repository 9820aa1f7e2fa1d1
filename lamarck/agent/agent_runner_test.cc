#include "lamarck/agent/agent_runner.h"

#include <gtest/gtest.h>

#include "lamarck/agent/agent_runner_fixture.h"

namespace lamarck::agent {
namespace {

constexpr std::string_view kAddTwice = R"({"params": {"n": 2}, "steps": [
  {"tool": "add", "arguments": {"a": 1, "b": {"$param": "n"}}},
  {"tool": "add", "arguments": {"a": {"$result": {"step": 1, "path": "/sum"}},
                                "b": 10}}]})";

TEST(AgentRunner, FollowsPlanThroughTheStates) {
  RunnerStage stage;
  std::vector<std::string> states;
  stage.options.watch = [&](std::string_view type, const Json& data) {
    if (type == "agent_moved") states.push_back(data["to"]);
  };
  const auto run = stage.run(kAddTwice);

  ASSERT_TRUE(run) << run.error().message();
  EXPECT_TRUE(run->reflection->success);
  EXPECT_EQ(run->answer, R"({"sum":13})");
  EXPECT_EQ(states,
            (std::vector<std::string>{"PLAN", "ACT", "OBSERVE", "ACT",
                                      "OBSERVE", "REFLECT", "RESPOND", "END"}));
  EXPECT_EQ(stage.journal->run(run->id)->state, "done");
}

TEST(AgentRunner, EveryPrefixOfEventsResumesToTheSameAnswer) {
  RunnerStage stage;
  const auto whole = stage.run(kAddTwice).value();
  const auto events = stage.journal->events(whole.id).value();
  for (std::size_t count = 1; count < events.size(); ++count) {
    RunnerStage other;
    other.seed = 100;
    for (std::size_t i = 0; i < count; ++i) {
      store::Append append{.run = whole.id, .events = {events[i]}};
      if (i == 0) append.new_run = stage.journal->run(whole.id).value();
      ASSERT_TRUE(other.journal->append(append));
    }
    const auto run = other.runner().resume(whole.id, {});
    ASSERT_TRUE(run) << count << " " << run.error().message();
    EXPECT_EQ(run->answer, whole.answer) << count;
    EXPECT_TRUE(run->reflection->success) << count;
  }
}

TEST(AgentRunner, DoesNotRepeatCallThatMayHaveHappened) {
  RunnerStage stage;
  stage.options.allows_all = true;
  const auto whole =
      stage.run(R"([{"tool": "send", "arguments": {"x": 1}}])").value();
  const auto events = stage.journal->events(whole.id).value();
  RunnerStage other;
  other.seed = 100;
  other.options.allows_all = true;
  for (const store::Event& event : events) {
    store::Append append{.run = whole.id, .events = {event}};
    if (event.seq == 1) append.new_run = stage.journal->run(whole.id).value();
    ASSERT_TRUE(other.journal->append(append));
    if (event.type == "call_started") break;
  }
  const auto run = other.runner().resume(whole.id, {}).value();

  EXPECT_EQ(other.calls["send"], 0);
  EXPECT_FALSE(run.reflection->success);
  EXPECT_EQ(other.journal->run(run.id)->state, "failed");
}

TEST(AgentRunner, AsksBeforeDangerousCalls) {
  constexpr std::string_view kPlan =
      R"([{"tool": "send", "arguments": {"x": 1}},
          {"tool": "send", "arguments": {"x": 2}}])";
  RunnerStage refused;
  EXPECT_FALSE(refused.run(kPlan)->reflection->success);
  EXPECT_EQ(refused.calls["send"], 0);

  RunnerStage always;
  int questions = 0;
  always.options.ask = [&](const skills::ToolInfo&, const Json&) {
    ++questions;
    return Approval::Always;
  };
  EXPECT_TRUE(always.run(kPlan)->reflection->success);
  EXPECT_EQ(questions, 1);

  RunnerStage listed;
  listed.options.agent.allowed = {"sends"};
  EXPECT_TRUE(listed.run(kPlan)->reflection->success);
}

TEST(AgentRunner, StopsAtLimitOfSteps) {
  RunnerStage stage;
  stage.options.limits.evaluations = 1;
  const auto run = stage.run(kAddTwice);

  ASSERT_TRUE(run);
  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(stage.calls["add"], 1);
}

TEST(AgentRunner, RefusesThirdIdenticalCall) {
  RunnerStage stage;
  std::string plan = "[";
  for (int i = 0; i < 3; ++i) {
    plan += R"({"tool": "add", "arguments": {"a": 1, "b": 1}})";
    plan += i < 2 ? "," : "]";
  }
  EXPECT_FALSE(stage.run(plan)->reflection->success);
  EXPECT_EQ(stage.calls["add"], 2);
}

TEST(AgentRunner, ReportsFailingStep) {
  RunnerStage stage;
  const auto run = stage.run(R"([{"tool": "fail"}, {"tool": "add"}])");

  ASSERT_TRUE(run);
  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(run->reflection->summary, "fail failed: It never works.");
  EXPECT_EQ(stage.calls["add"], 0);
}

TEST(AgentRunner, CancellationStopsAndResumes) {
  RunnerStage stage;
  stage.cancel.cancel("Ctrl-C.");
  EXPECT_EQ(stage.run(kAddTwice).error().code(), ErrorCode::Cancelled);
  const auto runs = stage.journal->runs({.kind = "agent"}).value();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, "stopped");

  EXPECT_EQ(stage.runner().resume(runs[0].id, {})->answer, R"({"sum":13})");
}

TEST(AgentRunner, NeedsPlanOrModel) {
  RunnerStage stage;
  EXPECT_FALSE(stage.runner().run("Do it", std::nullopt, {}));
  EXPECT_TRUE(stage.journal->runs()->empty());
}

}  // namespace
}  // namespace lamarck::agent
