#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"
#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::bad_plan;
using internal::EngineScene;
using internal::good_plan;

// Makes random calls to the engine, many of which are rejected.
class Player {
 public:
  Player(EngineScene& scene, ThoughtEngine& engine, std::string session,
         Rng rng)
      : scene_(scene), engine_(engine), id_(std::move(session)), rng_(rng) {}

  void play() {
    scene_.clock.advance(std::chrono::microseconds(rng_.below(3'000'000)));
    switch (rng_.below(14)) {
      case 0:
        check(engine_.fork({.session = id_,
                            .from = branch(),
                            .children = {{.content = "A fork"}}},
                           caller()));
        return;
      case 1:
        check(engine_.merge({.session = id_,
                             .into = branch(),
                             .from = {branch()},
                             .content = "Together"},
                            caller()));
        return;
      case 2:
        check(engine_.stop_branch(
            {.session = id_, .branch = branch(), .reason = "dull"}, caller()));
        return;
      case 3:
        check(engine_.score_branch(
            {.session = id_,
             .branch = branch(),
             .score = {.completeness = rng_.uniform(), .risk = rng_.uniform()}},
            caller()));
        return;
      case 4:
      case 5:
        check(engine_.validate_plan(
            {.session = id_,
             .branch = branch(),
             .plan = rng_.chance(0.5) ? good_plan() : bad_plan()},
            caller()));
        return;
      case 6:
        check(engine_.export_plan(id_, branch(), caller()));
        return;
      case 7:
        check(engine_.receive_evidence(
            {.session = id_,
             .branch = branch(),
             .execution_id = "e" + std::to_string(rng_.below(50)),
             .success = rng_.chance(0.5),
             .failure = {.stderr_text = "timed out"}},
            caller()));
        return;
      case 8:
        think();
        return;
      case 9:
        check(engine_.control(
            id_,
            rng_.chance(0.2) ? SessionAction::Pause : SessionAction::Checkpoint,
            "", caller()));
        check(engine_.control(id_, SessionAction::Resume, "", caller()));
        return;
      default:
        check(engine_.add_step({.session = id_,
                                .branch = branch(),
                                .content = "A thought",
                                .is_critique = rng_.chance(0.2),
                                .token_cost = rng_.integer(1, 60),
                                .is_private = rng_.chance(0.1)},
                               caller()));
    }
  }

 private:
  std::string branch() {
    const auto number = rng_.below(5);
    return number == 0 ? "main" : "branch_" + std::to_string(number);
  }
  Caller caller() {
    return {.node = rng_.chance(0.5) ? "ann" : "bob",
            .idempotency_key =
                rng_.chance(0.3) ? std::to_string(rng_.below(40)) : ""};
  }
  void check(const ThoughtEngine::Answer& answer) {
    if (answer) {
      EXPECT_TRUE(parse_json(*answer));
    } else {
      EXPECT_FALSE(answer.error().message().empty());
      EXPECT_NE(answer.error().code(), ErrorCode::DataDamaged)
          << answer.error().message();
      EXPECT_NE(answer.error().code(), ErrorCode::Internal);
    }
  }
  void think() {
    const auto strategy = static_cast<Strategy>(rng_.below(4));
    const auto run = engine_.begin_parallel(
        {.session = id_,
         .strategy = strategy,
         .max_rounds = static_cast<std::int64_t>(rng_.below(3))},
        caller());
    if (!run) return;
    while (true) {
      const auto wanted = engine_.wanted(id_, *run);
      if (!wanted || wanted->empty()) return;
      if (rng_.chance(0.1)) return;  // Abandons the run.
      for (const ThinkRequest& request : *wanted) {
        Result<ThoughtReply> reply = ThoughtReply{
            .text = rng_.chance(0.3) ? good_plan() : bad_plan(), .tokens = 90};
        if (rng_.chance(0.2)) reply = Error(ErrorCode::Timeout, "Too slow.");
        EXPECT_TRUE(engine_.accept(id_, *run, request.id, std::move(reply)));
      }
    }
  }

  EngineScene& scene_;
  ThoughtEngine& engine_;
  const std::string id_;
  Rng rng_;
};

void play(std::uint64_t seed, int calls) {
  EngineScene scene({.checkpoint_events = 7}, seed);
  const auto other = scene.another(seed + 1000, {.checkpoint_events = 5});
  const std::string id =
      scene.start({.tokens = 12'000, .wall_time = std::chrono::minutes(3)});
  Player first(scene, scene.engine, id, Rng(seed).split("first"));
  Player second(scene, *other, id, Rng(seed).split("second"));
  Rng turns = Rng(seed).split("turns");
  for (int i = 0; i < calls; ++i) (turns.chance(0.8) ? first : second).play();

  const Session live = scene.engine.session(id).value();
  const auto events = scene.events(id);
  Session replayed;
  std::vector<Session> prefixes;
  for (const store::Event& event : events) {
    const Result<void> applied = apply(replayed, event);
    ASSERT_TRUE(applied) << "seed " << seed << ": "
                         << applied.error().message();
    ASSERT_LE(replayed.tokens_used, replayed.budgets.tokens) << "seed " << seed;
    ASSERT_GE(replayed.tokens_reserved, 0) << "seed " << seed;
    prefixes.push_back(replayed);
  }
  EXPECT_EQ(internal::session_text(replayed), internal::session_text(live))
      << "seed " << seed;
  // Replaying from any saved state leads to the same final state.
  const std::size_t cut = Rng(seed).split("cut").below(prefixes.size());
  Session resumed = session_from_json(to_json(prefixes[cut])).value();
  for (std::size_t i = cut + 1; i < events.size(); ++i) {
    ASSERT_TRUE(apply(resumed, events[i])) << "seed " << seed;
  }
  EXPECT_EQ(internal::session_text(resumed), internal::session_text(live))
      << "seed " << seed;
  const auto restarted = scene.another(seed + 2000);
  EXPECT_EQ(internal::session_text(restarted->session(id).value()),
            internal::session_text(live))
      << "seed " << seed;
}

TEST(EngineReplay, ReproducesLiveStateAfterRandomCalls) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) play(seed, 60);
}

TEST(EngineReplaySlow, ReproducesLiveStateAfterRandomCalls) {
  for (std::uint64_t seed = 100; seed < 400; ++seed) play(seed, 150);
}

}  // namespace
}  // namespace lamarck::thought
