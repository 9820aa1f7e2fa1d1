#include "lamarck/agent/agent_permission.h"

#include <gtest/gtest.h>

#include "lamarck/agent/agent_runner_fixture.h"
#include "lamarck/agent/delegate_tool.h"

namespace lamarck::agent {
namespace {

constexpr std::string_view kSendTwice =
    R"([{"tool": "send", "arguments": {"x": 1}},
        {"tool": "send", "arguments": {"x": 2}}])";

// Nobody is there to answer.
struct WaitingStage : RunnerStage {
  WaitingStage() {
    options.ask = [](const skills::ToolInfo&, const Json&) {
      return Approval::Later;
    };
  }
  Result<AgentRun> answer(const std::string& id, Approval approval,
                          const std::string& comment = "") {
    const auto answered =
        runner().answer(id, {.approval = approval, .comment = comment});
    if (!answered) return answered.error();
    EXPECT_EQ(journal->run(id)->state, "queued");
    return runner().resume(id, {});
  }
};

TEST(AgentPermission, RunWaitsForTheAnswerToEachQuestion) {
  WaitingStage stage;
  const auto first = stage.run(kSendTwice).value();

  ASSERT_TRUE(first.question);
  EXPECT_EQ(first.question->tool, "send");
  EXPECT_EQ(first.question->arguments, (Json{{"x", 1}}));
  EXPECT_EQ(first.question->needs, (std::vector<std::string>{"sends"}));
  EXPECT_EQ(stage.journal->run(first.id)->state, "waiting");
  EXPECT_EQ(stage.calls["send"], 0);

  const auto second = stage.answer(first.id, Approval::Once).value();
  ASSERT_TRUE(second.question);
  EXPECT_EQ(second.question->arguments, (Json{{"x", 2}}));
  EXPECT_EQ(stage.calls["send"], 1);

  const auto done = stage.answer(first.id, Approval::Once).value();
  EXPECT_FALSE(done.question);
  EXPECT_TRUE(done.reflection->success);
  EXPECT_EQ(stage.calls["send"], 2);
  EXPECT_EQ(done.answers.size(), 2U);
  EXPECT_EQ(stage.journal->run(first.id)->state, "done");
}

TEST(AgentPermission, AlwaysHoldsForTheRun) {
  WaitingStage stage;
  const auto run = stage.run(kSendTwice).value();
  EXPECT_TRUE(stage.answer(run.id, Approval::Always)->reflection->success);
  EXPECT_EQ(stage.calls["send"], 2);
}

TEST(AgentPermission, RefusalReachesTheAgentWithItsComment) {
  WaitingStage stage;
  const auto run = stage.run(kSendTwice).value();
  const auto refused =
      stage.answer(run.id, Approval::Never, "Ask Ada first").value();

  EXPECT_FALSE(refused.reflection->success);
  EXPECT_NE(refused.reflection->summary.find("Ask Ada first"),
            std::string::npos);
  EXPECT_EQ(stage.calls["send"], 0);
}

TEST(AgentPermission, ResumingWithoutAnAnswerAsksAgain) {
  WaitingStage stage;
  const auto run = stage.run(kSendTwice).value();
  EXPECT_TRUE(stage.runner().resume(run.id, {})->question);
  EXPECT_EQ(stage.calls["send"], 0);

  ASSERT_TRUE(stage.runner().stop(run.id, Error(ErrorCode::Cancelled, "No.")));
  EXPECT_EQ(stage.runner().answer(run.id, {}).error().code(),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(stage.journal->run(run.id)->state, "stopped");
}

TEST(AgentPermission, EveryPrefixOfEventsAsksAtMostOnceMore) {
  WaitingStage stage;
  const auto run = stage.run(kSendTwice).value();
  ASSERT_TRUE(stage.answer(run.id, Approval::Always));
  const auto events = stage.journal->events(run.id).value();
  for (std::size_t count = 1; count < events.size(); ++count) {
    WaitingStage other;
    other.seed = 100;
    other.copy_run(stage, run.id, count);
    auto resumed = other.runner().resume(run.id, {}).value();
    if (resumed.question) {
      resumed = other.answer(run.id, Approval::Always).value();
    }
    EXPECT_FALSE(resumed.question) << count;
    EXPECT_LE(other.calls["send"], 2) << count;
    EXPECT_TRUE(resumed.reflection) << count;
  }
}

TEST(AgentPermission, QuestionOfASubTaskIsAnsweredInTheTask) {
  WaitingStage stage;
  const std::vector<skills::AgentRecord> others = {
      {.id = "h", .org_id = "local", .name = "helper"}};
  ASSERT_TRUE(add_delegate_tool(stage.tools, others));
  stage.options.find_delegate =
      [&](const std::string&) -> Result<DelegateAgent> {
    return DelegateAgent{.agent = others[0]};
  };
  const auto run = stage
                       .run(R"([{"tool": "delegate", "arguments": {
      "agent": "helper", "task": "Send it",
      "plan": [{"tool": "send", "arguments": {"x": 7}}]}}])")
                       .value();

  ASSERT_TRUE(run.question);
  EXPECT_EQ(run.question->tool, "send");
  EXPECT_EQ(run.question->run, run.calls[0].child_run);
  EXPECT_EQ(stage.journal->run(run.question->run)->state, "waiting");

  const auto done = stage.answer(run.id, Approval::Once).value();
  EXPECT_TRUE(done.reflection->success) << done.reflection->summary;
  EXPECT_EQ(stage.calls["send"], 1);
}

TEST(AgentPermission, NamesOfAnswersAreParsed) {
  for (const auto approval :
       {Approval::Once, Approval::Always, Approval::Never}) {
    EXPECT_EQ(parse_approval(approval_name(approval)).value(), approval);
  }
  EXPECT_EQ(parse_approval("later").error().code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace lamarck::agent
