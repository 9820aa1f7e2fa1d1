#include "lamarck/thought/session.h"

#include <algorithm>
#include <limits>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/event_kinds.h"
#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;

// A session with at least one event of every type.
std::string rich_session(EngineScene& scene) {
  const std::string id = scene.start();
  const auto branches = scene.fork(id, {"a", "b", "c"});
  scene.step(id, "First thought", "a");
  scene.validate(id, "b", internal::bad_plan());
  scene.validate(id, "a", internal::good_plan());
  EngineScene::parsed(scene.engine.merge(
      {.session = id, .from = {"c"}, .content = "c is in"}, {}));
  const std::string run =
      scene.engine
          .begin_parallel(
              {.session = id, .branches = {"b"}, .strategy = Strategy::Bandit},
              {})
          .value();
  EXPECT_EQ(scene.engine.wanted(id, run).value().size(), 1u);
  EngineScene::parsed(scene.engine.export_plan(id, "a", {}));
  EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id, .branch = "a", .execution_id = "e1", .success = true},
      {}));
  EngineScene::parsed(
      scene.engine.control(id, SessionAction::Checkpoint, "safe", {}));
  return id;
}

TEST(Session, JsonRoundTrips) {
  EngineScene scene;
  const Session session = scene.engine.session(rich_session(scene)).value();

  const Session again = session_from_json(to_json(session)).value();

  EXPECT_EQ(internal::session_text(again), internal::session_text(session));
  EXPECT_FALSE(session.parallel_runs.empty());
}

TEST(Session, EqualsReplayOfItsEvents) {
  EngineScene scene;
  const std::string id = rich_session(scene);

  Session replayed;
  for (const store::Event& event : scene.events(id)) {
    ASSERT_TRUE(apply(replayed, event))
        << apply(replayed, event).error().message();
  }

  EXPECT_EQ(internal::session_text(replayed),
            internal::session_text(scene.engine.session(id).value()));
}

TEST(Session, EventKindsCoverAllWrittenEvents) {
  EngineScene scene;
  const std::string id = rich_session(scene);

  const auto counts = scene.engine.session(id).value().event_counts;

  for (const EventKind& kind : event_kinds()) {
    EXPECT_TRUE(counts.contains(kind.type)) << kind.type;
    EXPECT_FALSE(kind.says.empty()) << kind.type;
  }
  EXPECT_EQ(counts.size(), event_kinds().size());
}

TEST(Session, RejectsIllegalEvents) {
  EngineScene scene;
  const std::string id = rich_session(scene);
  const auto events = scene.events(id);
  Session session;
  ASSERT_TRUE(apply(session, events[0]));

  Session gap = session;
  EXPECT_EQ(apply(gap, events[2]).error().code(), ErrorCode::DataDamaged);
  store::Event stranger = events[1];
  stranger.type = "dream";
  Session other = session;
  EXPECT_EQ(apply(other, stranger).error().code(), ErrorCode::DataDamaged);
  store::Event broken = events[1];
  broken.constraints = "{";
  other = session;
  EXPECT_EQ(apply(other, broken).error().code(), ErrorCode::DataDamaged);
}

TEST(Session, RejectsNumbersOutOfRange) {
  EngineScene scene;
  const Json stored =
      to_json(scene.engine.session(rich_session(scene)).value());
  ASSERT_TRUE(session_from_json(stored));

  for (const char* place :
       {"/head", "/tokens_used", "/time_used_ms", "/budgets/tokens",
        "/branches/0/tokens", "/event_counts/session", "/tokens_reserved"}) {
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
      Json damaged = stored;
      damaged[Json::json_pointer(place)] = wrong;
      EXPECT_EQ(session_from_json(damaged).error().code(),
                ErrorCode::DataDamaged)
          << place << " " << wrong;
    }
  }
}

TEST(Session, RejectsReservationsWithoutParallelRun) {
  EngineScene scene;
  Json stored = to_json(scene.engine.session(rich_session(scene)).value());
  ASSERT_GT(stored["tokens_reserved"], 0);

  stored["parallel_runs"] = Json::object();

  EXPECT_EQ(session_from_json(stored).error().code(), ErrorCode::DataDamaged);
}

TEST(Session, RejectsDuplicateRunAndHugeReward) {
  EngineScene scene;
  const std::string id = rich_session(scene);
  const Session session = scene.engine.session(id).value();
  const auto events = scene.events(id);
  const auto begin =
      std::ranges::find(events, std::string("parallel"), &store::Event::type);
  ASSERT_NE(begin, events.end());
  store::Event again = *begin;
  again.seq = session.head + 1;

  Session other = session;
  EXPECT_EQ(apply(other, again).error().code(), ErrorCode::DataDamaged);
  Json learned = Json::parse(begin->constraints);
  learned["action"] = "learn";
  learned["of"] = learned["branches"][0];
  learned["reward"] = 0.5;
  again.constraints = dump_json(learned);
  other = session;
  EXPECT_TRUE(apply(other, again));
  learned["reward"] = 1e308;
  again.constraints = dump_json(learned);
  other = session;
  EXPECT_EQ(apply(other, again).error().code(), ErrorCode::DataDamaged);
}

TEST(Session, RejectsInvalidJson) {
  EXPECT_FALSE(session_from_json(Json::object()));
  EXPECT_FALSE(session_from_json(Json(3)));
}

}  // namespace
}  // namespace lamarck::thought
