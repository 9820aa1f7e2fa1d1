#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using std::chrono::milliseconds;

ErrorCode code_of(const ThoughtEngine::Answer& answer) {
  return answer.error().code();
}

TEST(EngineSessions, StartReportsBudgetsAndNextStep) {
  EngineScene scene;

  const Json answer = EngineScene::parsed(
      scene.engine.start_session({.goal = "Find the leak"}, {}));

  EXPECT_EQ(answer["session_state"], "init");
  EXPECT_EQ(answer["branch"], "main");
  EXPECT_EQ(answer["budgets"]["tokens_left"], 20'000);
  EXPECT_EQ(answer["budgets"]["branches_left"], 5);
  EXPECT_FALSE(answer["next_step"].get<std::string>().empty());
  EXPECT_EQ(scene.journal->run(answer["session"].get<std::string>())->kind,
            "thought");
}

TEST(EngineSessions, RejectsInvalidStart) {
  EngineScene scene;

  EXPECT_EQ(code_of(scene.engine.start_session({.goal = ""}, {})),
            ErrorCode::InvalidArgument);
  const auto longer =
      scene.engine.start_session({.goal = std::string(401, 'x')}, {});
  EXPECT_NE(longer.error().message().find("401"), std::string::npos);
  EXPECT_EQ(code_of(scene.engine.start_session(
                {.goal = "g", .budgets = {.tokens = 0}}, {})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(scene.engine.start_session({.goal = "g"}, {.node = ""})),
            ErrorCode::InvalidArgument);
}

TEST(EngineSessions, RejectsBlankText) {
  EngineScene scene;
  const std::string id = scene.start();
  ThoughtEngine& engine = scene.engine;
  const std::string blank = " \t\n\xC2\xA0\xE2\x80\x8B\xE3\x80\x80";

  EXPECT_EQ(code_of(engine.start_session({.goal = blank}, {})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(engine.start_session(
                {.goal = "g", .success_criteria = {blank}}, {})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(engine.start_session({.goal = "g"}, {.node = blank})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(engine.add_step({.session = id, .content = blank}, {})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(engine.control(id, SessionAction::Fail, blank, {})),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(
      code_of(engine.fork(
          {.session = id, .children = {{.name = "a", .content = blank}}}, {})),
      ErrorCode::InvalidArgument);
  EXPECT_EQ(
      code_of(engine.fork(
          {.session = id, .children = {{.name = blank, .content = "c"}}}, {})),
      ErrorCode::InvalidArgument);
  EXPECT_EQ(scene.events(id).size(), 1u);
  scene.step(id, "\xC2\xA0x");
}

TEST(EngineSessions, SameKeyStartsOneSession) {
  EngineScene scene;
  const Caller caller{.idempotency_key = "k"};

  const auto first = scene.engine.start_session({.goal = "g"}, caller).value();
  const auto other = scene.another(9);

  EXPECT_EQ(other->start_session({.goal = "g"}, caller).value(), first);
  EXPECT_EQ(code_of(other->start_session({.goal = "h"}, caller)),
            ErrorCode::Conflict);
  EXPECT_EQ(scene.journal->runs().value().size(), 1u);
}

TEST(EngineSessions, ErrorForEmptySessionNamesRemedy) {
  EngineScene scene;
  const std::string id = scene.start();
  for (const auto action : {SessionAction::Pause, SessionAction::Complete}) {
    const Error refused = scene.engine.control(id, action, "", {}).error();

    EXPECT_EQ(refused.code(), ErrorCode::FailedPrecondition);
    EXPECT_NE(refused.message().find("think_plan_step"), std::string::npos);
    EXPECT_NE(refused.message().find("fail"), std::string::npos);
    EXPECT_EQ(refused.fields().at("state"), "init");
  }
  EXPECT_TRUE(scene.engine.control(id, SessionAction::Fail, "", {}));
}

TEST(EngineSessions, StatusReportsCurrentTimeLeft) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = milliseconds(1000)});
  scene.step(id, "Look around");
  const auto status = [&] {
    return EngineScene::parsed(
        scene.engine.control(id, SessionAction::Status, "", {}));
  };

  scene.clock.advance(milliseconds(400));
  EXPECT_EQ(status()["budgets"]["time_left_ms"], 600);
  scene.clock.advance(milliseconds(700));

  const Json late = status();
  EXPECT_EQ(late["budgets"]["time_left_ms"], 0);
  EXPECT_NE(late["next_step"].get<std::string>().find("think_session_start"),
            std::string::npos);
  EXPECT_EQ(late["session_state"], "timeout");
}

TEST(EngineSessions, ViewsReflectClockWithoutRecording) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = milliseconds(1000)});
  scene.step(id, "Look around");
  const std::size_t count = scene.events(id).size();
  const auto digest = [&] {
    return EngineScene::parsed(scene.engine.digest(id, ""));
  };
  EXPECT_EQ(digest()["session_state"], "active");

  scene.clock.advance(milliseconds(800));
  EXPECT_EQ(digest()["session_state"], "warning");
  EXPECT_NE(digest()["digest"].get<std::string>().find("State: warning"),
            std::string::npos);
  EXPECT_EQ(EngineScene::parsed(scene.engine.metrics(id))["outcome"],
            "warning");
  const Session warned = scene.engine.session_now(id).value();
  EXPECT_EQ(warned.state, SessionState::Warning);
  EXPECT_EQ(warned.alerts.back().message, "800 of 1000 ms are used.");

  scene.clock.advance(milliseconds(201));
  EXPECT_EQ(digest()["session_state"], "timeout");
  EXPECT_EQ(scene.engine.session_now(id)->alerts.back().message,
            "The wall time of 1000 ms is used up.");

  EXPECT_EQ(scene.events(id).size(), count);
  EXPECT_EQ(scene.engine.session(id)->state, SessionState::Active);
  EXPECT_TRUE(scene.engine.session(id)->alerts.empty());
}

TEST(EngineSessions, StatusExcludesPausedTime) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = milliseconds(1000)});
  scene.step(id, "Look around");
  scene.clock.advance(milliseconds(100));
  scene.engine.control(id, SessionAction::Pause, "", {}).value();
  scene.clock.advance(milliseconds(5000));

  const Json status = EngineScene::parsed(
      scene.engine.control(id, SessionAction::Status, "", {}));

  EXPECT_EQ(status["budgets"]["time_left_ms"], 900);
}

TEST(EngineSessions, UnknownSessionIsNotFound) {
  EngineScene scene;

  EXPECT_EQ(
      code_of(scene.engine.control("sess_x", SessionAction::Status, "", {})),
      ErrorCode::NotFound);
  EXPECT_EQ(
      code_of(scene.engine.add_step({.session = "s", .content = "c"}, {})),
      ErrorCode::NotFound);
}

TEST(EngineSessions, PausedSessionUsesNoTime) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = milliseconds(1000)});
  scene.clock.advance(milliseconds(100));
  scene.step(id, "one");
  scene.engine.control(id, SessionAction::Pause, "lunch", {}).value();
  scene.clock.advance(milliseconds(5000));

  const auto refused =
      scene.engine.add_step({.session = id, .content = "two"}, {});
  EXPECT_EQ(code_of(refused), ErrorCode::FailedPrecondition);
  scene.engine.control(id, SessionAction::Resume, "", {}).value();
  scene.clock.advance(milliseconds(50));
  scene.step(id, "two");

  EXPECT_EQ(scene.engine.session(id)->time_used, milliseconds(150));
  EXPECT_EQ(scene.engine.session(id)->state, SessionState::Active);
}

TEST(EngineSessions, SubMillisecondTimesAddUp) {
  EngineScene scene;
  const std::string id = scene.start();

  for (int i = 0; i < 100; ++i) {
    scene.clock.advance(std::chrono::microseconds(300));
    scene.step(id, "quick");
  }

  EXPECT_EQ(scene.engine.session(id)->time_used, milliseconds(30));
}

TEST(EngineSessions, TimeoutEndsSessionOnNextCall) {
  EngineScene scene;
  const std::string id = scene.start({.wall_time = milliseconds(1000)});
  scene.fork(id, {"a"});
  scene.step(id, "one", "a");
  scene.clock.advance(milliseconds(1001));

  EXPECT_EQ(code_of(scene.engine.add_step({.session = id, .content = "x"}, {})),
            ErrorCode::Timeout);

  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.state, SessionState::Timeout);
  EXPECT_EQ(session.branches.at("branch_1").state, BranchState::EarlyStopped);
  EXPECT_EQ(session.branches.at("branch_1").outcome, "timeout");
  EXPECT_EQ(scene.journal->run(id)->state, "timeout");
  EXPECT_EQ(code_of(scene.engine.add_step({.session = id, .content = "x"}, {})),
            ErrorCode::Timeout);
}

TEST(EngineSessions, WarnsAtEightyPercentAndEndsBeforeOvershoot) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 100});
  const auto spend = [&](std::int64_t tokens) {
    return scene.engine.add_step(
        {.session = id, .content = "x", .token_cost = tokens}, {});
  };

  EXPECT_EQ(EngineScene::parsed(spend(79))["session_state"], "active");
  const Json warned = EngineScene::parsed(spend(1));
  EXPECT_EQ(warned["session_state"], "warning");
  EXPECT_EQ(warned["alerts"][0]["kind"], "budget");
  EXPECT_EQ(EngineScene::parsed(spend(20))["budgets"]["tokens_left"], 0);
  EXPECT_EQ(code_of(spend(1)), ErrorCode::BudgetExceeded);

  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.state, SessionState::BudgetExceeded);
  EXPECT_EQ(session.tokens_used, 100);
  EXPECT_EQ(session.branches.at("main").state, BranchState::EarlyStopped);
}

TEST(EngineSessions, RejectsIllegalActions) {
  EngineScene scene;
  const std::string id = scene.start();

  const auto early = scene.engine.control(id, SessionAction::Complete, "", {});
  EXPECT_EQ(code_of(early), ErrorCode::FailedPrecondition);
  EXPECT_EQ(code_of(scene.engine.control(id, SessionAction::Resume, "", {})),
            ErrorCode::FailedPrecondition);
  const Json failed = EngineScene::parsed(
      scene.engine.control(id, SessionAction::Fail, "no way", {}));
  EXPECT_EQ(failed["session_state"], "failed");
  EXPECT_EQ(code_of(scene.engine.control(id, SessionAction::Fail, "", {})),
            ErrorCode::FailedPrecondition);
}

TEST(EngineSessions, RestoreReplaysEventsAfterCheckpoint) {
  EngineScene scene({.checkpoint_events = 10});
  const std::string id = scene.start();
  for (int i = 0; i < 25; ++i) scene.step(id, "thought");

  const Json answer = EngineScene::parsed(
      scene.another(7)->control(id, SessionAction::Restore, "", {}));

  EXPECT_EQ(answer["restored"]["checkpoint"], 20);
  EXPECT_EQ(answer["restored"]["replayed"], 6);
  EXPECT_EQ(answer["head"], 26);
}

TEST(EngineSessions, CheckpointsAfterInterval) {
  EngineScene scene({.checkpoint_interval = milliseconds(1000)});
  const std::string id = scene.start();
  scene.step(id, "one");
  EXPECT_FALSE(scene.journal->latest_checkpoint(id).value());

  scene.clock.advance(milliseconds(1000));
  scene.step(id, "two");

  EXPECT_EQ(scene.journal->latest_checkpoint(id).value()->seq, 3u);
}

TEST(EngineSessions, EvictedSessionsAreRestored) {
  EngineScene scene({.max_open_sessions = 2});
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(scene.start());

  for (int round = 0; round < 3; ++round) {
    for (const std::string& id : ids) scene.step(id, "again");
  }

  for (const std::string& id : ids) {
    EXPECT_EQ(scene.engine.session(id)->branches.at("main").steps, 3);
  }
}

TEST(EngineSessions, SeesEventsOfAnotherEngine) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.step(id, "mine");
  const auto other = scene.another(2, {.node = "other"});

  other->add_step({.session = id, .content = "theirs"}, {}).value();
  other->fork({.session = id, .children = {{.name = "new"}}}, {}).value();
  scene.step(id, "on their branch", "new");
  other->control(id, SessionAction::Complete, "", {}).value();

  EXPECT_EQ(code_of(scene.engine.add_step({.session = id, .content = "x"}, {})),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(scene.engine.session(id)->branches.at("branch_1").steps, 1);
}

TEST(EngineSessions, DigestFitsTwoHundredTokensWithoutSecrets) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c", "d", "e"});
  for (const std::string branch : {"a", "b", "c", "d", "e"}) {
    scene.step(id, std::string(390, 'w'), branch);
  }
  scene.step(id, "password=hunter2hunter2 for me@example.org");
  scene.engine
      .add_step({.session = id,
                 .branch = "a",
                 .content = "my own affair",
                 .is_private = true},
                {})
      .value();

  const Json digest = EngineScene::parsed(scene.engine.digest(id, ""));

  EXPECT_LE(digest["tokens"].get<int>(), 200);
  const std::string text = digest["digest"];
  EXPECT_NE(text.find("Rename the function"), std::string::npos);
  for (const auto& all : {scene.engine.digest(id, "main", 2000).value(),
                          scene.engine.digest(id, "a", 2000).value()}) {
    EXPECT_EQ(all.find("hunter2"), std::string::npos);
    EXPECT_EQ(all.find("example.org"), std::string::npos);
    EXPECT_EQ(all.find("my own affair"), std::string::npos);
  }
}

}  // namespace
}  // namespace lamarck::thought
