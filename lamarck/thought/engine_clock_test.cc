// Tests of the time budget while a plan is executed, and of late evidence.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

Json report(ThoughtEngine& engine, const std::string& id, bool success = true) {
  return EngineScene::parsed(
      engine.receive_evidence({.session = id,
                               .branch = "main",
                               .execution_id = success ? "good" : "bad",
                               .success = success},
                              {}));
}

TEST(EngineClock, TimeOfAnExecutionDoesNotCount) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = minutes(10)});
  scene.step(id, "The idea");
  scene.clock.advance(minutes(4));
  EXPECT_EQ(scene.engine.session_now(id)->time_used, minutes(4));
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();

  scene.clock.advance(hours(5));
  EXPECT_EQ(scene.engine.session_now(id)->state, SessionState::Active);
  EXPECT_EQ(scene.engine.session_now(id)->time_used, minutes(4));
  EXPECT_EQ(scene.another(2)->session_now(id)->state, SessionState::Active);
  const Json answer = report(scene.engine, id);

  EXPECT_EQ(answer["session_state"], "active");
  EXPECT_EQ(answer["budgets"]["time_left_ms"],
            milliseconds(minutes(6)).count());
  scene.clock.advance(minutes(7));
  EXPECT_EQ(scene.engine.session_now(id)->state, SessionState::Timeout);
}

TEST(EngineClock, TimeCanBeExtended) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = minutes(10)});
  scene.step(id, "The idea");
  scene.clock.advance(minutes(11));
  const Json answer = EngineScene::parsed(
      scene.engine.extend_time(id, minutes(5), "Slow tests", {}));
  EXPECT_EQ(answer["time_budget_ms"], milliseconds(minutes(15)).count());
  scene.step(id, "Go on");
  EXPECT_EQ(
      scene.engine.extend_time(id, milliseconds(0), "", {}).error().code(),
      ErrorCode::InvalidArgument);
  EXPECT_EQ(internal::session_text(scene.another(2)->session(id).value()),
            internal::session_text(scene.engine.session(id).value()));
  scene.clock.advance(minutes(5));
  EXPECT_FALSE(scene.engine.add_step({.session = id, .content = "x"}, {}));
  EXPECT_EQ(scene.engine.extend_time(id, minutes(5), "", {}).error().code(),
            ErrorCode::Timeout);
}

TEST(EngineClock, LateEvidenceIsAcceptedAndMarked) {
  for (const bool success : {true, false}) {
    EngineScene scene;
    const std::string id = scene.start();
    scene.validate(id, "main", good_plan());
    scene.engine.export_plan(id, "main", {}).value();
    scene.engine.control(id, SessionAction::Fail, "No time", {}).value();

    const Json answer = report(scene.engine, id, success);

    EXPECT_EQ(answer["late"], true);
    EXPECT_EQ(answer["session_state"], "failed");
    EXPECT_EQ(answer["state"], "evidence_received");
    EXPECT_EQ(report(scene.engine, id, success), answer);
    const Json chain =
        EngineScene::parsed(scene.engine.metrics(id))["evidence_chain"];
    EXPECT_EQ(chain.back()["late"], true) << chain;
    EXPECT_EQ(internal::session_text(scene.another(2)->session(id).value()),
              internal::session_text(scene.engine.session(id).value()));
    EXPECT_FALSE(scene.engine.add_step({.session = id, .content = "x"}, {}));
  }
}

}  // namespace
}  // namespace lamarck::thought
