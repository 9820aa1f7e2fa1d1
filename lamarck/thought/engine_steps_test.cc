#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;

TEST(EngineSteps, DefaultParentIsHeadOfBranch) {
  EngineScene scene;
  const std::string id = scene.start();

  const std::string first = scene.step(id, "one");
  const std::string second = scene.step(id, "two");

  const store::Event event = scene.journal->event(second).value();
  ASSERT_EQ(event.parents.size(), 1u);
  EXPECT_EQ(event.parents[0].from, first);
  EXPECT_EQ(scene.engine.session(id)->branches.at("main").state,
            BranchState::Planning);
}

TEST(EngineSteps, LengthLimitCountsCharactersNotBytes) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 100'000});
  std::string text;
  for (int i = 0; i < 400; ++i) text += "思";

  EXPECT_TRUE(scene.engine.add_step({.session = id, .content = text}, {}));
  const auto refused =
      scene.engine.add_step({.session = id, .content = text + "x"}, {});

  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(refused.error().fields().at("length"), "401");
}

TEST(EngineSteps, RejectsInvalidSteps) {
  EngineScene scene;
  const std::string id = scene.start();
  const auto code = [&](const PlanStep& step) {
    return scene.engine.add_step(step, {}).error().code();
  };

  EXPECT_EQ(code({.session = id, .content = ""}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.session = id, .content = "\xff"}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.session = id, .content = "c", .role = "king"}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.session = id, .content = "c", .edge_type = "likes"}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.session = id, .content = "c", .token_cost = -1}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.session = id, .branch = "b", .content = "c"}),
            ErrorCode::NotFound);
  EXPECT_EQ(code({.session = id, .content = "c", .parents = {"evt_no"}}),
            ErrorCode::NotFound);
  const std::string other = scene.start();
  const std::string event = scene.step(other, "elsewhere");
  EXPECT_EQ(code({.session = id, .content = "c", .parents = {event}}),
            ErrorCode::NotFound);
  EXPECT_EQ(scene.events(id).size(), 1u);
}

TEST(EngineSteps, SameKeyWritesOnce) {
  EngineScene scene;
  const std::string id = scene.start();
  const PlanStep step{.session = id, .content = "once"};
  const Caller caller{.idempotency_key = "k1"};

  const std::string first = scene.engine.add_step(step, caller).value();
  scene.step(id, "between");
  const std::string again = scene.engine.add_step(step, caller).value();
  const std::string restarted =
      scene.another(5)->add_step(step, caller).value();

  EXPECT_EQ(again, first);
  EXPECT_EQ(restarted, first);
  EXPECT_EQ(scene.events(id).size(), 3u);
  const auto other =
      scene.engine.add_step({.session = id, .content = "twice"}, caller);
  EXPECT_EQ(other.error().code(), ErrorCode::Conflict);
}

TEST(EngineSteps, SameKeyIsIndependentAcrossSessions) {
  EngineScene scene;
  const Caller caller{.idempotency_key = "step-1"};
  for (const std::string& id : {scene.start(), scene.start()}) {
    EXPECT_TRUE(scene.engine.add_step({.session = id, .content = "c"}, caller));
  }
}

TEST(EngineSteps, ConcurrentParentIsAConflict) {
  EngineScene scene;
  const std::string id = scene.start();
  const auto add = [&](std::string node, store::ClockCounts seen,
                       std::vector<std::string> parents) {
    return scene.engine.add_step({.session = id,
                                  .content = "thought",
                                  .parents = std::move(parents),
                                  .vector_clock = std::move(seen)},
                                 {.node = std::move(node)});
  };
  const Json a = EngineScene::parsed(add("a", {}, {}));
  const auto seen = a["vector_clock"].get<store::ClockCounts>();
  const Json b = EngineScene::parsed(add("b", {}, {}));

  const auto blind = add("a", seen, {b["event"]});

  ASSERT_EQ(blind.error().code(), ErrorCode::Conflict);
  const auto& fields = blind.error().fields();
  EXPECT_EQ(fields.at("status"), "409");
  EXPECT_FALSE(fields.at("resolution").empty());
  EXPECT_EQ(blind.error().message(),
            "The parent " + b["event"].get<std::string>() +
                " was written concurrently and is not in the past of this "
                "event; read the new events and send the request again with "
                "the clock in `vector_clock`.");
  const auto now =
      parse_json(fields.at("vector_clock"))->get<store::ClockCounts>();
  EXPECT_TRUE(add("a", now, {b["event"]}));
}

TEST(EngineSteps, ConflictListsMissedEvents) {
  EngineScene scene;
  const std::string id = scene.start();
  const Json mine = EngineScene::parsed(
      scene.engine.add_step({.session = id, .content = "mine"}, {.node = "a"}));
  Json theirs = Json::array();
  for (int i = 0; i < 600; ++i) {
    const Json added = EngineScene::parsed(scene.engine.add_step(
        {.session = id, .content = "theirs", .token_cost = 1}, {.node = "b"}));
    for (const Json& event : added["events"]) theirs.push_back(event);
  }
  const auto missed = [&](ThoughtEngine& engine, store::ClockCounts seen) {
    const auto refused = engine.add_step(
        {.session = id, .content = "blind", .vector_clock = std::move(seen)},
        {.node = "a"});
    EXPECT_EQ(refused.error().code(), ErrorCode::Conflict);
    const auto& fields = refused.error().fields();
    EXPECT_EQ(parse_json(fields.at("missed_events"))->back(), theirs.back());
    EXPECT_EQ(fields.at("head"), theirs.back());
    return std::pair(*parse_json(fields.at("missed_events")),
                     fields.at("missed_count"));
  };
  const auto seen = mine["vector_clock"].get<store::ClockCounts>();
  auto nearly = seen;
  nearly["b"] = 598;
  const auto restarted = scene.another(9);
  for (ThoughtEngine* engine : {&scene.engine, restarted.get()}) {
    const auto [few, count] = missed(*engine, nearly);
    EXPECT_EQ(few, Json({theirs[598], theirs[599]}));
    EXPECT_EQ(count, "2");
    const auto [many, all] = missed(*engine, seen);
    EXPECT_EQ(many.size(), 200u);
    EXPECT_EQ(all, "600");
  }
}

TEST(EngineSteps, AcceptsParentThatWriterHasSeen) {
  EngineScene scene;
  const std::string id = scene.start();
  const Json a = EngineScene::parsed(
      scene.engine.add_step({.session = id, .content = "mine"}, {.node = "a"}));
  scene.engine.add_step({.session = id, .content = "b's"}, {.node = "b"})
      .value();

  const auto own = scene.engine.add_step(
      {.session = id,
       .content = "going on",
       .parents = {a["event"]},
       .vector_clock = a["vector_clock"].get<store::ClockCounts>()},
      {.node = "a"});

  EXPECT_TRUE(own);
}

TEST(EngineSteps, AcceptsStepAfterPrunedHead) {
  EngineScene scene;
  const std::string id = scene.start();
  const Json pruned = EngineScene::parsed(
      scene.engine.add_step({.session = id, .content = "old"}, {.node = "a"}));
  const Json saved = EngineScene::parsed(
      scene.engine.control(id, SessionAction::Checkpoint, "", {.node = "b"}));
  scene.journal->prune(id, [](const auto&) { return Result<void>(); }).value();
  const auto add = [&](const Json& answer, std::vector<std::string> parents) {
    return scene.engine.add_step(
        {.session = id,
         .content = "new",
         .parents = std::move(parents),
         .vector_clock = answer["vector_clock"].get<store::ClockCounts>()},
        {.node = "a"});
  };

  const auto blind = add(pruned, {});
  const auto named = add(saved, {pruned["event"]});
  const auto seeing = add(saved, {});

  EXPECT_EQ(blind.error().code(), ErrorCode::Conflict);
  EXPECT_EQ(named.error().code(), ErrorCode::NotFound);
  EXPECT_TRUE(seeing) << seeing.error().message();
}

TEST(EngineSteps, StaleOrInventedClockIsAConflict) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.step(id, "one");
  const std::string first = scene.journal->events(id)->front().id;
  const auto refusal = [&](store::ClockCounts seen) {
    const auto refused =
        scene.engine.add_step({.session = id,
                               .content = "c",
                               .parents = {first},
                               .vector_clock = std::move(seen)},
                              {});
    EXPECT_EQ(refused.error().code(), ErrorCode::Conflict);
    return refused.error().message();
  };

  EXPECT_EQ(refusal({{"client", 1}}),
            "The vector clock misses events of its writer: its entry for "
            "'client' is 1, but the "
            "session has 2; read the new events and send the request again "
            "with the clock in `vector_clock`.");
  EXPECT_EQ(refusal({{"client", 9}}),
            "The vector clock is ahead of this session: its entry for 'client' "
            "is 9, but the session has 2; use the clock of an answer of "
            "this session, such as the one in `vector_clock`.");
  EXPECT_EQ(refusal({{"client", 2}, {"ghost", 1}}),
            "The vector clock is ahead of this session: its entry for 'ghost' "
            "is 1, but the session has 0; use the clock of an answer of "
            "this session, such as the one in `vector_clock`.");
}

}  // namespace
}  // namespace lamarck::thought
