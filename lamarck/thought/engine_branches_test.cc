#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/branch_moves.h"
#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;

TEST(BranchMoves, FollowLegalTransitions) {
  for (const BranchTransition& row : branch_transitions()) {
    const auto stop =
        internal::moves_to_stop(row.from, BranchTrigger::BudgetExceeded);
    BranchState state = row.from;
    if (!stop) continue;
    for (const BranchTrigger move : *stop) {
      state = after(state, move, "b").value();
    }
    EXPECT_EQ(state, BranchState::EarlyStopped) << branch_state_name(row.from);
  }
  EXPECT_EQ(internal::moves_to(BranchState::Rejected, BranchState::Validating)
                ->size(),
            3u);
  EXPECT_FALSE(
      internal::moves_to(BranchState::Validated, BranchState::Scoring));
  EXPECT_FALSE(
      internal::moves_to_stop(BranchState::Executing, BranchTrigger::RaceLost));
}

TEST(EngineBranches, ForkStartsInInitAndFirstStepStartsPlanning) {
  EngineScene scene;
  const std::string id = scene.start();

  const auto ids = scene.fork(id, {"plan_a", "plan_b"});
  scene.step(id, "first", "plan_a");

  EXPECT_EQ(ids, (std::vector<std::string>{"branch_1", "branch_2"}));
  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.branches.at("branch_1").state, BranchState::Planning);
  EXPECT_EQ(session.branches.at("branch_2").state, BranchState::Init);
  EXPECT_EQ(session.branches.at("branch_2").from, "main");
}

TEST(EngineBranches, ForkRespectsBranchBudget) {
  EngineScene scene;
  const std::string id = scene.start({.branches = 2});
  scene.fork(id, {"a"});

  const auto more = scene.engine.fork(
      {.session = id, .children = {{.name = "b"}, {.name = "c"}}}, {});

  EXPECT_EQ(more.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_EQ(scene.fork(id, {"b"}).size(), 1u);
  EXPECT_EQ(scene.engine.session(id)->branches.size(), 3u);
}

TEST(EngineBranches, ForkRejectsDuplicateAndReservedNames) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a"});
  const auto code = [&](std::vector<BranchFork::Child> children) {
    return scene.engine
        .fork({.session = id, .children = std::move(children)}, {})
        .error()
        .code();
  };

  EXPECT_EQ(code({{.name = "a"}}), ErrorCode::AlreadyExists);
  EXPECT_EQ(code({{.name = "x"}, {.name = "x"}}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({{.name = "branch_7"}}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({}), ErrorCode::InvalidArgument);
}

TEST(EngineBranches, ScoredBranchCanBeStopped) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a"});

  const Json scored = EngineScene::parsed(scene.engine.score_branch(
      {.session = id,
       .branch = "a",
       .score = {.completeness = 1, .risk = 0.1, .cost = 0}},
      {}));
  EXPECT_EQ(scored["state"], "scoring");
  EXPECT_EQ(scored["is_good_enough"], true);
  EXPECT_NEAR(scored["reward"].get<double>(), 0.92, 1e-9);
  const Json stopped = EngineScene::parsed(scene.engine.stop_branch(
      {.session = id, .branch = "a", .reason = "dull"}, {}));
  EXPECT_EQ(stopped["state"], "early_stopped");
  EXPECT_EQ(scene.engine.session(id)->branches.at("branch_1").outcome, "dull");

  const auto after_end = scene.engine.add_step(
      {.session = id, .branch = "a", .content = "more"}, {});
  EXPECT_EQ(after_end.error().code(), ErrorCode::FailedPrecondition);
}

TEST(EngineBranches, RejectsScoreOutOfRange) {
  EngineScene scene;
  const std::string id = scene.start();
  for (const double risk : {-0.1, 1.1, std::nan("")}) {
    EXPECT_EQ(
        scene.engine
            .score_branch(
                {.session = id, .branch = "main", .score = {.risk = risk}}, {})
            .error()
            .code(),
        ErrorCode::InvalidArgument);
  }
}

TEST(EngineBranches, ValidatedBranchRejectsStopAndScore) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", internal::good_plan());

  const auto stop =
      scene.engine.stop_branch({.session = id, .branch = "main"}, {});
  const auto score =
      scene.engine.score_branch({.session = id, .branch = "main"}, {});

  EXPECT_EQ(stop.error().code(), ErrorCode::FailedPrecondition);
  EXPECT_NE(stop.error().message().find("user_input"), std::string::npos);
  EXPECT_EQ(score.error().code(), ErrorCode::FailedPrecondition);
}

TEST(EngineBranches, MergeLinksAndStopsMergedBranches) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  scene.step(id, "of a", "a");

  const Json merged = EngineScene::parsed(scene.engine.merge(
      {.session = id, .from = {"a", "b"}, .content = "both"}, {}));

  const store::Event event =
      scene.journal->event(merged["event"].get<std::string>()).value();
  EXPECT_EQ(event.type, "merge");
  EXPECT_EQ(event.parents.size(), 3u);
  EXPECT_EQ(event.parents[1].type, "supports");
  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.branches.at("branch_1").outcome, "merged");
  EXPECT_EQ(scene.engine
                .merge({.session = id, .from = {"main"}, .content = "self"}, {})
                .error()
                .code(),
            ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace lamarck::thought
