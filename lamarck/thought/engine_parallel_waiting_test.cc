// Tests of parallel runs whose replies come from outside, late or never.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;

TEST(EngineWaiting, DecidingRunEndsAbandonedRun) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string first =
      scene.engine.begin_parallel({.session = id}, {}).value();
  ASSERT_FALSE(scene.engine.wanted(id, first)->empty());

  const auto other = scene.another(2);
  const ParallelRun decide{.session = id, .max_rounds = 0};
  EXPECT_NE(other->begin_parallel(decide, {}).value(), first);

  EXPECT_EQ(other->session(id)->tokens_reserved, 0);
  EXPECT_FALSE(other->session(id)->parallel_runs.contains(first));
  const auto ended = scene.engine.parallel_answer(id, first).value();
  ASSERT_TRUE(ended);
  EXPECT_EQ(parse_json(*ended).value()["run"], first);
  EXPECT_EQ(parse_json(*ended).value()["reason"], "abandoned");
}

TEST(EngineWaiting, DecidingRunDoesNotEndAwaitedRun) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string run =
      scene.engine.begin_parallel({.session = id}, {}).value();
  const ParallelRun decide{.session = id, .max_rounds = 0};
  auto waiting = scene.engine.await_parallel(id, run);
  EXPECT_EQ(scene.engine.begin_parallel(decide, {}).error().code(),
            ErrorCode::FailedPrecondition);

  waiting.reset();

  EXPECT_NE(scene.engine.begin_parallel(decide, {}).value(), run);
}

TEST(EngineWaiting, NoReplyIsWantedOncePausedOrEnded) {
  const auto wants = [](const auto& change) {
    EngineScene scene;
    const std::string id = scene.start();
    scene.fork(id, {"a", "b"});
    const std::string run =
        scene.engine.begin_parallel({.session = id}, {}).value();
    const auto asked = scene.engine.wanted(id, run).value();
    change(scene, id);
    const auto head = scene.engine.session(id)->head;
    const bool is_wanted = scene.engine.is_wanted(id, run, asked[0].id);
    EXPECT_EQ(scene.engine.session(id)->head, head);
    return is_wanted;
  };
  EXPECT_TRUE(wants([](EngineScene&, const std::string&) {}));
  for (const SessionAction action :
       {SessionAction::Pause, SessionAction::Fail, SessionAction::Complete}) {
    EXPECT_FALSE(wants([&](EngineScene& scene, const std::string& id) {
      scene.engine.control(id, action, "", {}).value();
    }));
  }
  EXPECT_FALSE(wants([](EngineScene& scene, const std::string&) {
    scene.clock.advance(std::chrono::hours(1000));
  }));
  EXPECT_FALSE(wants([](EngineScene& scene, const std::string& id) {
    scene.engine
        .stop_branch({.session = id, .branch = "a", .reason = "No."}, {})
        .value();
  }));
  EXPECT_FALSE(wants([](EngineScene& scene, const std::string& id) {
    scene.validate(id, "b", good_plan());
  }));
}

TEST(EngineWaiting, RunEndsWhenAllBranchesAreStopped) {
  for (const Strategy strategy : {Strategy::Race, Strategy::Bandit}) {
    EngineScene scene;
    const std::string id = scene.start();
    scene.fork(id, {"a", "b"});
    const std::string run =
        scene.engine.begin_parallel({.session = id, .strategy = strategy}, {})
            .value();
    ASSERT_FALSE(scene.engine.wanted(id, run)->empty());
    for (const char* branch : {"a", "b"}) {
      scene.engine
          .stop_branch({.session = id, .branch = branch, .reason = "No."}, {})
          .value();
    }

    EXPECT_TRUE(scene.engine.wanted(id, run)->empty());
    EXPECT_TRUE(scene.engine.parallel_answer(id, run).value());
    EXPECT_EQ(scene.engine.session(id)->tokens_reserved, 0);
  }
}

TEST(EngineWaiting, CancelledAndLateRepliesAreCountedOnce) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string run =
      scene.engine.begin_parallel({.session = id}, {}).value();
  const auto asked = scene.engine.wanted(id, run).value();
  scene.engine
      .accept(id, run, asked[1].id,
              ThoughtReply{.text = good_plan(), .tokens = 100})
      .value();
  const std::int64_t prompt =
      scene.engine.session(id)->branches.at("branch_1").tokens;
  const std::int64_t used = scene.engine.session(id)->tokens_used;
  EXPECT_EQ(scene.engine.session(id)->winner, "branch_2");
  EXPECT_EQ(scene.engine.session(id)->tokens_reserved, 0);
  EXPECT_GT(prompt, 20);

  for (int i = 0; i < 2; ++i) {
    scene.engine
        .accept(id, run, asked[0].id,
                ThoughtReply{.text = good_plan(), .tokens = 700})
        .value();
  }

  // The first thought of the branch cost tokens too.
  const Session session = scene.engine.session(id).value();
  EXPECT_GT(session.tokens_used, used);
  EXPECT_LE(session.branches.at("branch_1").tokens, 700 + 20);
  EXPECT_GE(session.branches.at("branch_1").tokens, 700);
  EXPECT_EQ(session.branches.at("branch_1").state, BranchState::EarlyStopped);
  EXPECT_EQ(internal::session_text(scene.another(2)->session(id).value()),
            internal::session_text(session));
}

TEST(EngineWaiting, RepliesOfOneCallAreComparedUnlessItIsARace) {
  for (const Strategy strategy : {Strategy::Race, Strategy::Best}) {
    EngineScene scene;
    const std::string id = scene.start();
    scene.fork(id, {"a", "b"});
    const std::string run =
        scene.engine.begin_parallel({.session = id, .strategy = strategy}, {})
            .value();
    const auto asked = scene.engine.wanted(id, run).value();
    Json weaker = parse_json(good_plan()).value();
    weaker["limits"]["max_changes"] = 150;

    scene.engine
        .accept(id, run,
                {{asked[0].id, ThoughtReply{.text = dump_json(weaker)}},
                 {asked[1].id, ThoughtReply{.text = good_plan()}}})
        .value();

    EXPECT_EQ(scene.engine.session(id)->winner,
              strategy == Strategy::Race ? "branch_1" : "branch_2");
    EXPECT_EQ(scene.engine.session(id)->tokens_reserved, 0);
  }
}

TEST(EngineWaiting, AbandonedRunGivesItsTokensBack) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 2500});
  scene.fork(id, {"a", "b"});
  const std::string run =
      scene.engine.begin_parallel({.session = id}, {}).value();
  ASSERT_FALSE(scene.engine.wanted(id, run)->empty());
  const Session before = scene.engine.session(id).value();
  const std::int64_t left = 2500 - before.tokens_used - before.tokens_reserved;
  const PlanStep step{
      .session = id, .content = "expensive", .token_cost = left + 100};

  scene.engine.add_step(step, {.idempotency_key = "k"}).value();

  EXPECT_EQ(scene.engine.session(id)->tokens_reserved, 0);
  const auto ended = scene.engine.parallel_answer(id, run).value();
  ASSERT_TRUE(ended);
  EXPECT_EQ(parse_json(*ended).value()["reason"], "abandoned");
}

TEST(EngineWaiting, LatencyIsTheBranchesOwn) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string run =
      scene.engine
          .begin_parallel({.session = id, .strategy = Strategy::Vote}, {})
          .value();
  const auto asked = scene.engine.wanted(id, run).value();
  scene.clock.advance(std::chrono::milliseconds(5000));

  using std::chrono::milliseconds;
  scene.engine
      .accept(id, run,
              {{asked[0].id, ThoughtReply{.text = "hm"}, milliseconds(30)},
               {asked[1].id, ThoughtReply{.text = "hm"}, milliseconds(5000)}})
      .value();

  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.branches.at("branch_1").thinking_time, milliseconds(30));
  EXPECT_EQ(session.branches.at("branch_2").thinking_time, milliseconds(5000));
}

}  // namespace
}  // namespace lamarck::thought
