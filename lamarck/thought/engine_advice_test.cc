// Tests of the member next_step of the answers.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/text_fixture.h"
#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::bad_plan;
using internal::EngineScene;
using internal::good_plan;

constexpr const char* kDocPlan = R"({"target_path": "docs/a.md",
    "naming_convention": "kebab-case", "structure_template": "guide",
    "validation_rules": ["has_title"]})";

// After evidence the next step is a word, and the sentence is the advice.
std::string next_step(const Json& answer) {
  return answer.contains("advice") ? answer["advice"] : answer["next_step"];
}

// Spends all remaining tokens.
Json spend_all(EngineScene& scene, const std::string& session,
               const std::string& branch = "main") {
  const Session now = scene.engine.session(session).value();
  return EngineScene::parsed(scene.engine.add_step(
      {.session = session,
       .branch = branch,
       .content = "The last thought",
       .token_cost = now.budgets.tokens - now.tokens_used},
      {}));
}

TEST(EngineAdvice, FailedDocumentCheckSuggestsAnotherCheck) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.engine
      .validate_plan({.session = id, .plan = kDocPlan, .plan_type = "DocPlan"},
                     {})
      .value();
  const Json exported =
      EngineScene::parsed(scene.engine.export_doc_plan(id, "main", {}));
  EXPECT_TRUE(contains(next_step(exported), "think_receive_doc_validation"));

  const Json failed = EngineScene::parsed(
      scene.engine.receive_doc_validation({.session = id,
                                           .branch = "main",
                                           .validation_id = "v1",
                                           .compliance_score = 0.5,
                                           .summary = "no title"},
                                          {}));
  const Json step = EngineScene::parsed(
      scene.engine.add_step({.session = id, .content = "Add a title"}, {}));

  for (const Json& answer : {failed, step}) {
    EXPECT_TRUE(contains(next_step(answer), "think_receive_doc_validation"));
    EXPECT_FALSE(contains(next_step(answer), "think_receive_evidence"));
  }
  EXPECT_TRUE(contains(next_step(failed), "a new validation_id"));
}

TEST(EngineAdvice, WithoutTokensSuggestsEndingTheSession) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 300});

  const Json last = spend_all(scene, id);

  EXPECT_EQ(last["budgets"]["tokens_left"], 0);
  EXPECT_TRUE(contains(next_step(last), "think_session_control"));
  EXPECT_TRUE(contains(next_step(last), "think_session_start"));
  EXPECT_FALSE(contains(next_step(last), "think_plan_step"));
  EXPECT_FALSE(contains(next_step(last), "think_validate_plan"));
  const Json status = EngineScene::parsed(
      scene.engine.control(id, SessionAction::Status, "", {}));
  EXPECT_EQ(status["next_step"], last["next_step"]);
}

TEST(EngineAdvice, WithoutTokensSuggestsFreeCalls) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a"});
  scene.validate(id, "a", good_plan());

  const Json last = spend_all(scene, id);

  EXPECT_TRUE(contains(next_step(last), "branch_1 with think_export_plan"));
  const Json exported =
      EngineScene::parsed(scene.engine.export_plan(id, "a", {}));
  EXPECT_TRUE(
      contains(next_step(exported), "branch_1 with think_receive_evidence"));
  const Json failed = EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id, .branch = "a", .failure = {.stderr_text = "FAILED"}},
      {}));
  EXPECT_TRUE(contains(next_step(failed), "think_receive_evidence"));
  EXPECT_FALSE(contains(next_step(failed), "think_branch"));
  const Json done = EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id, .branch = "a", .success = true}, {}));
  EXPECT_TRUE(contains(next_step(done), "think_session_control"));
  EXPECT_FALSE(contains(next_step(done), "think_plan_step"));
}

Json race_without_thinker(EngineScene& scene, const std::string& session) {
  ThoughtEngine& engine = scene.engine;
  const std::string run =
      engine.begin_parallel({.session = session, .max_rounds = 0}, {}).value();
  return parse_json(*engine.parallel_answer(session, run).value()).value();
}

TEST(EngineAdvice, RunWithoutPlansSuggestsSubmittingPlans) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});

  const Json without = race_without_thinker(scene, id);
  scene.validate(id, "b", bad_plan());
  const Json rejected = race_without_thinker(scene, id);

  EXPECT_EQ(without["winner"], "");
  EXPECT_TRUE(contains(next_step(without), "think_plan_step"));
  EXPECT_TRUE(contains(next_step(without), "think_validate_plan"));
  EXPECT_FALSE(contains(next_step(without), "as suggested"));
  EXPECT_TRUE(contains(next_step(rejected), "as suggested"));
}

}  // namespace
}  // namespace lamarck::thought
