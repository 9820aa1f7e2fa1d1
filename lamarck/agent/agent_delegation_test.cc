#include <gtest/gtest.h>

#include <set>

#include "lamarck/agent/agent_runner_fixture.h"
#include "lamarck/agent/delegate_tool.h"

namespace lamarck::agent {
namespace {

// An agent with two others: "helper", which adds, and "sender", which may send.
struct DelegationStage : RunnerStage {
  DelegationStage() {
    const std::vector<skills::AgentRecord> others = {
        {.id = "h", .org_id = "local", .name = "helper"},
        {.id = "s", .org_id = "local", .name = "sender", .allowed = {"sends"}}};
    EXPECT_TRUE(add_delegate_tool(tools, others));
    options.find_delegate =
        [others](const std::string& name) -> Result<DelegateAgent> {
      for (const auto& other : others) {
        if (other.name == name) return DelegateAgent{.agent = other};
      }
      return Error(ErrorCode::NotFound, "There is no agent '" + name + "'.");
    };
    options.watch = [this](std::string_view type, const Json& data) {
      if (type == "agent_moved" && !data.contains("depth")) {
        states.push_back(data["to"]);
      }
    };
  }
  std::vector<std::string> states;  // Of the first run.
};

// The helper adds 1 and 2; the first agent adds 10 to its answer.
constexpr std::string_view kDelegated = R"({"steps": [
  {"tool": "delegate", "arguments": {"agent": "helper", "task": "Add 1 and 2",
    "plan": {"params": {"n": 2}, "steps": [
      {"tool": "add", "arguments": {"a": 1, "b": {"$param": "n"}}},
      {"tool": "add", "arguments": {
        "a": {"$result": {"step": 1, "path": "/sum"}}, "b": 0}}]}}},
  {"tool": "add", "arguments": {"b": 10,
    "a": {"$result": {"step": 1, "path": "/answer/sum"}}}}]})";

TEST(AgentDelegation, FollowsTheTableAndUsesTheAnswer) {
  DelegationStage stage;
  const auto run = stage.run(kDelegated).value();

  EXPECT_EQ(run.answer, R"({"sum":13})") << run.reflection->summary;
  EXPECT_EQ(stage.states,
            (std::vector<std::string>{"PLAN", "DELEGATE", "OBSERVE", "ACT",
                                      "OBSERVE", "REFLECT", "RESPOND", "END"}));
  const auto events = stage.journal->events(run.calls[0].child_run).value();
  const AgentRun child = fold_agent_run(run.calls[0].child_run, events).value();
  EXPECT_EQ(child.agent_name, "helper");
  EXPECT_EQ(child.parent, run.id);
  EXPECT_EQ(child.depth, 1U);
  EXPECT_EQ(child.task, "Add 1 and 2");
  EXPECT_EQ(run.step_count(), 4);
}

TEST(AgentDelegation, DelegatesAfterToolThroughPlan) {
  DelegationStage stage;
  const auto run = stage.run(R"([
    {"tool": "add", "arguments": {"a": 1, "b": 2}},
    {"tool": "delegate", "arguments": {"agent": "helper", "task": "Add more",
      "plan": {"params": {"n": {"$result": {"step": 1, "path": "/sum"}}},
               "steps": [{"tool": "add", "arguments":
                 {"a": {"$param": "n"}, "b": 4}}]}}}])");

  EXPECT_EQ(run->calls.back().call.result["answer"]["sum"], 7);
  EXPECT_EQ(stage.states, (std::vector<std::string>{
                              "PLAN", "ACT", "OBSERVE", "PLAN", "DELEGATE",
                              "OBSERVE", "REFLECT", "RESPOND", "END"}));
}

// Every pair of prefixes of both runs that a crash can leave behind.
TEST(AgentDelegation, EveryPrefixResumesWithoutRepeatingTheSubTask) {
  DelegationStage whole;
  const auto run = whole.run(kDelegated).value();
  const std::string child = run.calls[0].child_run;
  const auto events = whole.journal->events(run.id).value();
  const std::size_t child_size = whole.journal->events(child)->size();
  for (std::size_t count = 1; count < events.size(); ++count) {
    const bool is_over = std::ranges::any_of(
        events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count),
        [](const auto& one) { return one.type == "call_finished"; });
    const bool has_begun = events[count - 1].type == "task_delegated";
    for (std::size_t inner = is_over ? child_size : 0;
         inner <= (has_begun ? child_size
                   : is_over ? child_size
                             : 0);
         ++inner) {
      DelegationStage other;
      other.seed = 100;
      other.copy_run(whole, run.id, count);
      other.copy_run(whole, child, inner);
      const auto resumed = other.runner().resume(run.id, {});
      ASSERT_TRUE(resumed) << count << " " << resumed.error().message();
      EXPECT_EQ(resumed->answer, run.answer) << count << " " << inner;
      // An interrupted call that is idempotent is made again.
      EXPECT_LE(resumed->step_count(), 5) << count << " " << inner;
      EXPECT_EQ(other.journal->runs({.kind = "agent"})->size(), 2U);
    }
  }
}

TEST(AgentDelegation, GivesTheSubTaskItsOwnBudget) {
  DelegationStage stage;
  const auto run = stage.run(R"([{"tool": "delegate", "arguments": {
    "agent": "helper", "task": "Add twice", "steps": 1, "plan": [
      {"tool": "add", "arguments": {"a": 1, "b": 1}},
      {"tool": "add", "arguments": {"a": 1, "b": 2}}]}}])");

  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(stage.calls["add"], 1);
  EXPECT_NE(run->reflection->summary.find("The limit of 1 steps"),
            std::string::npos)
      << run->reflection->summary;
}

TEST(AgentDelegation, CountsTheSubTaskInTheBudgetOfTheRun) {
  DelegationStage stage;
  stage.options.limits.evaluations = 4;
  const auto run = stage.run(R"([{"tool": "delegate", "arguments": {
    "agent": "helper", "task": "Add", "plan": [
      {"tool": "add", "arguments": {"a": 1, "b": 1}},
      {"tool": "add", "arguments": {"a": 1, "b": 2}}]}},
    {"tool": "add", "arguments": {"a": 1, "b": 3}},
    {"tool": "add", "arguments": {"a": 1, "b": 4}}])");

  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(stage.calls["add"], 3);
  EXPECT_EQ(run->step_count(), 4);
}

TEST(AgentDelegation, EndsAtTheLimitOfDepth) {
  DelegationStage stage;
  std::string plan = R"([{"tool": "add", "arguments": {"a": 1, "b": 1}}])";
  for (std::size_t i = 0; i <= kMaxDelegations; ++i) {
    plan = R"([{"tool": "delegate", "arguments": {"agent": "helper",
      "task": "Go on", "plan": )" +
           plan + "}}]";
  }
  const auto run = stage.run(plan);

  EXPECT_FALSE(run->reflection->success);
  EXPECT_EQ(stage.calls["add"], 0);
  EXPECT_NE(run->reflection->summary.find("at most 3 deep"), std::string::npos)
      << run->reflection->summary;
  EXPECT_EQ(stage.journal->runs({.kind = "agent"})->size(), 4U);
}

TEST(AgentDelegation, AsksIfTheOtherAgentMayDoMore) {
  constexpr std::string_view kSend = R"([{"tool": "delegate", "arguments": {
    "agent": "sender", "task": "Send it",
    "plan": [{"tool": "send", "arguments": {"x": 1}}]}}])";
  DelegationStage refused;
  EXPECT_FALSE(refused.run(kSend)->reflection->success);
  EXPECT_EQ(refused.calls["send"], 0);

  DelegationStage asked;
  asked.options.ask = [](const skills::ToolInfo& tool, const Json&) {
    return tool.name == "delegate" ? Approval::Once : Approval::Never;
  };
  EXPECT_TRUE(asked.run(kSend)->reflection->success);

  DelegationStage listed;
  listed.options.agent.allowed = {"sends"};
  EXPECT_TRUE(listed.run(kSend)->reflection->success);
  EXPECT_EQ(listed.calls["send"], 1);
}

TEST(AgentDelegation, ReportsUnknownAgentAndFailure) {
  DelegationStage stage;
  const auto unknown = stage.run(
      R"([{"tool": "delegate", "arguments": {"agent": "no", "task": "x"}}])");
  EXPECT_NE(unknown.error().message().find("/agent"), std::string::npos);
  const auto bad_plan = stage.run(R"([{"tool": "delegate", "arguments": {
    "agent": "helper", "task": "x", "plan": [{"tool": "none"}]}}])");
  EXPECT_EQ(bad_plan.error().message(),
            "Step 1 of the plan: Step 1 of the plan: There is no tool 'none'.");
  const auto planless = stage.run(
      R"([{"tool": "delegate", "arguments": {"agent": "helper", "task": "x"}}])");
  EXPECT_NE(planless->reflection->summary.find("did not solve the sub-task"),
            std::string::npos);
  const auto failed = stage.run(R"([{"tool": "delegate", "arguments": {
    "agent": "helper", "task": "x", "plan": [{"tool": "fail"}]}}])");
  EXPECT_NE(failed->reflection->summary.find("It never works."),
            std::string::npos)
      << failed->reflection->summary;
}

TEST(AgentDelegation, CancellationStopsBothRuns) {
  DelegationStage stage;
  stage.add("stop", {}, true, [&](const Json&) -> Result<Json> {
    stage.cancel.cancel("Ctrl-C.");
    return Error(ErrorCode::Cancelled, "Ctrl-C.");
  });
  const auto run = stage.run(R"([{"tool": "delegate", "arguments": {
    "agent": "helper", "task": "x", "plan": [{"tool": "stop"}]}}])");

  EXPECT_EQ(run.error().code(), ErrorCode::Cancelled);
  const auto runs = stage.journal->runs({.kind = "agent"}).value();
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& one : runs) EXPECT_EQ(one.state, "stopped");
}

}  // namespace
}  // namespace lamarck::agent
