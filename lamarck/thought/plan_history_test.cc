#include "lamarck/thought/plan_history.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;

const Clock::WallTime kNow{std::chrono::hours(480'000)};

PlanTraits edit(double changes = 20) {
  return traits_of("ExecutionPlan",
                   {{"capabilities_required", {"edit_files"}},
                    {"limits", {{"max_changes", changes}, {"max_files", 2}}}});
}
PlanTraits deploy() {
  return traits_of("ExecutionPlan",
                   {{"capabilities_required", {"deploy"}},
                    {"steps", {{{"tool", "kubectl"}}, "a text"}},
                    {"limits", {{"max_changes", 500}, {"max_files", 50}}}});
}

TEST(PlanTraits, AreCapabilitiesToolsAndScope) {
  EXPECT_EQ(deploy().parts,
            (std::set<std::string>{"capability deploy", "tool kubectl"}));
  EXPECT_DOUBLE_EQ(deploy().scope, 1);
  EXPECT_DOUBLE_EQ(similarity(edit(), edit()), 1);
  EXPECT_LT(similarity(edit(), deploy()), 0.1);
  EXPECT_GT(similarity(edit(), edit(100)), 0.9);
  PlanTraits other = edit();
  other.plan_type = "DocPlan";
  EXPECT_EQ(similarity(edit(), other), 0);
}

TEST(PlanHistory, RateIsThatOfSimilarPlansAndSmoothed) {
  PlanHistory history;
  EXPECT_EQ(history.success_rate(edit(), kNow), std::nullopt);
  history.add({.traits = edit(), .success = false, .time = kNow});
  EXPECT_DOUBLE_EQ(*history.success_rate(edit(), kNow), 1.0 / 3);
  for (int i = 0; i < 9; ++i) {
    history.add({.traits = edit(), .success = false, .time = kNow});
  }
  EXPECT_LT(*history.success_rate(edit(), kNow), 0.1);
  EXPECT_NEAR(*history.success_rate(deploy(), kNow), 0.5, 0.05);
}

TEST(PlanHistory, OldOutcomesFade) {
  PlanHistory history;
  for (int i = 0; i < 10; ++i) {
    history.add({.traits = edit(), .success = false, .time = kNow});
  }
  double last = 0;
  for (const int months : {0, 1, 3, 12}) {
    const double rate =
        *history.success_rate(edit(), kNow + months * PlanHistory::kHalfLife);
    EXPECT_GT(rate, last);
    last = rate;
  }
  EXPECT_NEAR(last, 0.5, 0.01);
}

TEST(PlanHistory, SurvivesJson) {
  PlanHistory history;
  history.add({.traits = edit(), .success = true, .time = kNow});
  history.add({.traits = {.plan_type = "Old", .is_known = false}});
  const PlanHistory back = PlanHistory::from_json(history.to_json()).value();
  EXPECT_EQ(back.to_json(), history.to_json());
}

// Executes a good plan on a new session.
Json executed(EngineScene& scene, bool success, const std::string& id) {
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  return EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id,
       .branch = "main",
       .execution_id = "1",
       .success = success,
       .failure = {.stderr_text = "AssertionError", .tool = "pytest"}},
      {}));
}

double history_risk(EngineScene& scene, const std::string& plan,
                    const std::string& context = "") {
  return EngineScene::parsed(scene.engine.validate_plan(
      {.session = scene.start(), .plan = plan, .context = context},
      {}))["review"]["risk"]["history_risk"];
}

TEST(EngineHistory, CountsSimilarPlansOrWhatTheCallerSays) {
  EngineScene scene;
  for (int i = 0; i < 4; ++i) executed(scene, false, scene.start());
  Json unlike = parse_json(good_plan()).value();
  unlike["capabilities_required"] = {"deploy"};
  unlike["limits"] = {{"max_changes", 400}, {"max_files", 2}};

  EXPECT_NEAR(history_risk(scene, good_plan()), 5.0 / 6, 1e-9);
  EXPECT_LT(history_risk(scene, dump_json(unlike)), 0.56);
  EXPECT_DOUBLE_EQ(history_risk(scene, good_plan(),
                                R"({"similar_operations": [{"success": true},
                       {"success": true}, {"success": false},
                       {"success": true}]})"),
                   0.25);
  EXPECT_EQ(scene.engine
                .validate_plan({.session = scene.start(),
                                .plan = good_plan(),
                                .context = R"({"similar_operations": [1]})"},
                               {})
                .error()
                .code(),
            ErrorCode::InvalidArgument);

  const Json shown = EngineScene::parsed(scene.engine.history());
  EXPECT_EQ(shown["plans"][0]["outcomes"], 4);
  scene.engine.reset_history().value();
  EXPECT_DOUBLE_EQ(history_risk(scene, good_plan()), 0.5);
  EXPECT_EQ(EngineScene::parsed(scene.another(2)->history())["plans"].size(),
            0u);
}

TEST(EngineHistory, RetriesBelongToASessionAndEndWithSuccess) {
  EngineScene scene;
  const auto report = [&](const std::string& id, const std::string& execution,
                          bool success) {
    return EngineScene::parsed(scene.engine.receive_evidence(
        {.session = id,
         .branch = "main",
         .execution_id = execution,
         .success = success,
         .failure = {.stderr_text = "AssertionError", .tool = "pytest"}},
        {}));
  };
  const std::string first = scene.start();
  executed(scene, false, first);
  EXPECT_EQ(report(first, "2", false)["failure"]["retries"], 2);
  EXPECT_EQ(report(first, "3", false)["failure"]["retries"], 3);
  EXPECT_EQ(report(first, "4", false)["failure"]["may_retry"], false);

  const std::string second = scene.start();
  EXPECT_EQ(executed(scene, false, second)["failure"]["retries"], 1);

  report(first, "5", true);
  EXPECT_EQ(report(first, "6", false)["failure"]["retries"], 1);
  EXPECT_EQ(report(second, "7", false)["failure"]["retries"], 2);
}

}  // namespace
}  // namespace lamarck::thought
