#include "lamarck/agent/agent_plan_check.h"

#include <gtest/gtest.h>

#include "lamarck/agent/agent_runner_fixture.h"

namespace lamarck::agent {
namespace {

TEST(AgentPlanCheck, NamesTheFirstStepThatCannotWork) {
  struct Case {
    std::string_view second_step;
    std::string_view message;
  };
  constexpr Case kCases[] = {
      {R"({"tool": "ad"})",
       "Step 2 of the plan: There is no tool 'ad'; did you mean 'add'?"},
      {R"({"tool": "add", "arguments": {"a": {"$param": "m"}}})",
       "Step 2 of the plan: params must have a value for 'm'."},
      {R"({"tool": "add", "arguments": {"a": [{"$result": {"step": 2}}]}})",
       "Step 2 of the plan: $result must refer to an earlier step, got 2."},
      {R"({"tool": "add", "arguments": {"a": {"$result": {"step": "x"}}}})",
       "Step 2 of the plan"},
  };
  for (const Case& one : kCases) {
    RunnerStage stage;
    const auto run =
        stage.run(R"([{"tool": "add", "arguments": {"a": 1, "b": 2}}, )" +
                  std::string(one.second_step) + "]");
    ASSERT_FALSE(run) << one.second_step;
    EXPECT_TRUE(run.error().message().starts_with(one.message))
        << run.error().message();
    EXPECT_EQ(stage.calls["add"], 0) << one.second_step;
    EXPECT_TRUE(stage.journal->runs({}).value().empty());
  }
}

TEST(AgentPlanCheck, ChecksArgumentsThatAreKnown) {
  RunnerStage stage;
  ASSERT_TRUE(stage.tools.add(
      {.info = {.name = "pay",
                .input_schema = {{"type", "object"}, {"required", {"amount"}}}},
       .limits = {},
       .run = [](const Json&, const ToolContext&) -> Result<Json> {
         return Json();
       }}));
  EXPECT_FALSE(stage.run(R"([{"tool": "pay", "arguments": {"sum": 1}}])"));
  EXPECT_TRUE(stage.run(R"([{"tool": "pay", "arguments": {"amount": 1}}])"));
}

}  // namespace
}  // namespace lamarck::agent
