#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"
#include "lamarck/thought/internal/plan_reply.h"

namespace lamarck::thought {
namespace {

using internal::bad_plan;
using internal::EngineScene;
using internal::good_plan;

// Replies from a script for each branch, one line per round; the last line
// repeats.
class ScriptedThinker : public Thinker {
 public:
  using Script = std::map<std::string, std::vector<std::string>>;
  explicit ScriptedThinker(Script script) : script_(std::move(script)) {}

  Result<ThoughtReply> think(const ThinkRequest& request,
                             const CancelToken&) override {
    const std::lock_guard lock(mutex_);
    const auto& lines = script_.at(request.branch);
    const std::size_t round = rounds_[request.branch]++;
    return ThoughtReply{.text = lines[std::min(round, lines.size() - 1)],
                        .tokens = 100,
                        .model = "scripted"};
  }

 private:
  const Script script_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> rounds_;  // Guarded by mutex_.
};

Json run(EngineScene& scene, const ParallelRun& request, Thinker& thinker) {
  return EngineScene::parsed(
      scene.engine.run_parallel(request, thinker, {}, CancelToken()));
}

std::string fenced(const std::string& plan) {
  return "Here it is:\n```json\n" + plan + "\n```\nGood luck!";
}

TEST(PlanReply, FindsPlanInProse) {
  EXPECT_EQ(internal::find_plan("{\"a\":1}").plan, "{\"a\":1}");
  const auto reply = internal::find_plan(
      "I use {braces} first.\n```json\n{\"a\": {\"b\": \"}\"}}\n```\nDone.");
  EXPECT_EQ(reply.plan, "{\"a\":{\"b\":\"}\"}}");
  EXPECT_EQ(reply.thought, "I use {braces} first. Done.");
  EXPECT_EQ(internal::find_plan("no plan {").plan, "");
  EXPECT_EQ(internal::find_plan("").thought, "");
  EXPECT_EQ(internal::find_plan(std::string(200'000, '{')).plan, "");
}

TEST(EngineParallel, FirstValidatedPlanWinsRace) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c"});
  ScriptedThinker thinker({{"branch_1", {"thinking"}},
                           {"branch_2", {bad_plan(), fenced(good_plan())}},
                           {"branch_3", {"thinking"}}});

  const Json answer = run(scene, {.session = id}, thinker);

  EXPECT_EQ(answer["winner"], "branch_2");
  EXPECT_EQ(answer["reason"], "first_validated");
  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.winner, "branch_2");
  EXPECT_EQ(session.branches.at("branch_2").outcome, "race_winner");
  EXPECT_EQ(session.branches.at("branch_1").state, BranchState::EarlyStopped);
  EXPECT_EQ(session.branches.at("branch_1").outcome, "race_lost");
  EXPECT_EQ(session.tokens_reserved, 0);
  EXPECT_TRUE(session.parallel_runs.empty());
}

TEST(EngineParallel, OverlongReplyStaysWithinBudget) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 3000});
  scene.fork(id, {"a"});
  std::string flood;
  for (int i = 0; i < 100'000; ++i) flood += "cat ";
  ScriptedThinker thinker({{"branch_1", {flood, flood, flood, flood}}});

  run(scene, {.session = id}, thinker);

  EXPECT_LE(scene.engine.session(id).value().tokens_used, 3000);
}

TEST(EngineParallel, PromptsContainNoSecrets) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"bob@example.com"});
  const std::string run_id =
      scene.engine.begin_parallel({.session = id}, {}).value();

  const auto wanted = scene.engine.wanted(id, run_id).value();

  ASSERT_FALSE(wanted.empty());
  for (const ThinkRequest& request : wanted) {
    EXPECT_EQ(request.prompt.find("bob@"), std::string::npos);
  }
}

TEST(EngineParallel, RaceCancelsLosersImmediately) {
  class Slow : public Thinker {
   public:
    Result<ThoughtReply> think(const ThinkRequest& request,
                               const CancelToken& cancel) override {
      if (request.branch == "branch_1") {
        return ThoughtReply{.text = good_plan(), .tokens = 10};
      }
      // Longer than any test may take.
      cancel.wait_for(std::chrono::hours(1));
      if (cancel.is_cancelled()) ++cancelled;
      return Error(ErrorCode::Cancelled, "The race is lost.");
    }
    std::atomic<int> cancelled = 0;
  } thinker;
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c"});

  const Json answer = run(scene, {.session = id}, thinker);

  EXPECT_EQ(answer["winner"], "branch_1");
  EXPECT_EQ(thinker.cancelled, 2);
}

TEST(EngineParallel, BestChoosesHighestReward) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  Json risky = parse_json(good_plan()).value();
  risky["risk_estimate"]["test_coverage"] = 0.2;
  ScriptedThinker thinker(
      {{"branch_1", {dump_json(risky)}}, {"branch_2", {good_plan()}}});

  const Json answer =
      run(scene, {.session = id, .strategy = Strategy::Best}, thinker);

  EXPECT_EQ(answer["winner"], "branch_2");
}

TEST(EngineParallel, VoteChoosesMajorityPlan) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c"});
  Json spaced = parse_json(good_plan("same")).value();
  ScriptedThinker thinker({{"branch_1", {good_plan("other")}},
                           {"branch_2", {good_plan("same")}},
                           {"branch_3", {spaced.dump(2)}}});

  const Json answer =
      run(scene, {.session = id, .strategy = Strategy::Vote}, thinker);

  EXPECT_EQ(answer["reason"], "majority");
  EXPECT_EQ(answer["votes"]["branch_1"], 1);
  EXPECT_EQ(answer["votes"][answer["winner"].get<std::string>()], 2);
  EXPECT_NE(answer["winner"], "branch_1");
}

TEST(EngineParallel, BanditAsksOneBranchForTwoHundredTokensPerRound) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string run_id =
      scene.engine
          .begin_parallel({.session = id, .strategy = Strategy::Bandit}, {})
          .value();
  std::vector<std::string> order;
  std::optional<std::string> answer;
  for (int round = 0; !answer; ++round) {
    ASSERT_LT(round, 100) << "The bandit has not ended.";
    const auto wanted = scene.engine.wanted(id, run_id).value();
    if (!wanted.empty()) {
      ASSERT_EQ(wanted.size(), 1u);
      EXPECT_EQ(wanted[0].max_tokens, 200);
      order.push_back(wanted[0].branch);
      const std::string text = order.size() < 4 ? bad_plan() : good_plan();
      ASSERT_TRUE(scene.engine.accept(
          id, run_id, wanted[0].id, ThoughtReply{.text = text, .tokens = 50}));
    }
    answer = scene.engine.parallel_answer(id, run_id).value();
  }

  EXPECT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0], "branch_1");
  EXPECT_EQ(order[1], "branch_2");
  EXPECT_EQ(parse_json(*answer).value()["winner"], order[3]);
}

TEST(EngineParallel, ZeroRoundsOnlyDecides) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  ScriptedThinker nobody({});
  const Json none = run(scene, {.session = id, .max_rounds = 0}, nobody);
  EXPECT_EQ(none["winner"], "");
  EXPECT_EQ(none["stopped"].size(), 0u);

  for (const std::string branch : {"b", "a"}) {
    scene.validate(id, branch, good_plan(branch));
  }
  const Json race = run(scene, {.session = id, .max_rounds = 0}, nobody);

  EXPECT_EQ(race["winner"], "branch_2");
}

TEST(EngineParallel, SurvivesRestart) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const Caller caller{.idempotency_key = "run"};
  const ParallelRun request{.session = id, .strategy = Strategy::Best};
  const std::string first =
      scene.engine.begin_parallel(request, caller).value();
  const auto asked = scene.engine.wanted(id, first).value();
  ASSERT_EQ(asked.size(), 2u);

  const auto restarted = scene.another(2);
  EXPECT_EQ(restarted->begin_parallel(request, caller).value(), first);
  const auto again = restarted->wanted(id, first).value();
  ASSERT_EQ(again.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].id, asked[i].id);
    EXPECT_EQ(again[i].prompt, asked[i].prompt);
    ASSERT_TRUE(restarted->accept(id, first, again[i].id,
                                  ThoughtReply{.text = good_plan()}));
  }
  const auto answer = restarted->parallel_answer(id, first).value();
  ASSERT_TRUE(answer);
  EXPECT_EQ(scene.another(3)->parallel_answer(id, first).value(), answer);
  EXPECT_TRUE(restarted->wanted(id, first)->empty());
  // A late reply changes nothing.
  const auto head = scene.engine.session(id)->head;
  EXPECT_TRUE(scene.engine.accept(id, first, asked[0].id,
                                  ThoughtReply{.text = "late"}));
  EXPECT_EQ(scene.engine.session(id)->head, head);
}

TEST(EngineParallel, ReservesTokensBeforeAsking) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 1500});
  scene.fork(id, {"a", "b"});
  const std::string run_id =
      scene.engine.begin_parallel({.session = id}, {}).value();
  const auto waiting = scene.engine.await_parallel(id, run_id);
  const auto wanted = scene.engine.wanted(id, run_id).value();

  const Session session = scene.engine.session(id).value();
  EXPECT_FALSE(wanted.empty());
  EXPECT_GT(session.tokens_reserved, 0);
  EXPECT_LE(session.tokens_used + session.tokens_reserved, 1500);
  const std::int64_t left =
      1500 - session.tokens_used - session.tokens_reserved;
  EXPECT_EQ(
      scene.engine
          .add_step(
              {.session = id, .content = "greedy", .token_cost = left + 1}, {})
          .error()
          .code(),
      ErrorCode::BudgetExceeded);
  const auto answer = scene.engine.parallel_answer(id, run_id).value();
  ASSERT_TRUE(answer);
  EXPECT_EQ(parse_json(*answer).value()["reason"], "budget_exceeded");
}

TEST(EngineParallel, ContinuesWhenThinkerFails) {
  class Failing : public Thinker {
   public:
    Result<ThoughtReply> think(const ThinkRequest& request,
                               const CancelToken&) override {
      if (request.branch == "branch_1") {
        return Error(ErrorCode::Unavailable, "The model is down.",
                     {{"tokens_in", "7"}});
      }
      return ThoughtReply{.text = good_plan(), .tokens = 10};
    }
  } thinker;
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});

  const Json answer =
      run(scene, {.session = id, .strategy = Strategy::Vote}, thinker);

  EXPECT_EQ(answer["winner"], "branch_2");
  EXPECT_EQ(scene.engine.session(id)->branches.at("branch_1").thoughts, 2);
}

TEST(EngineParallel, CancellationEndsRunAndReleasesTokens) {
  class Waiting : public Thinker {
   public:
    explicit Waiting(CancelSource& source) : source_(source) {}
    Result<ThoughtReply> think(const ThinkRequest&,
                               const CancelToken& cancel) override {
      source_.cancel("The caller went away.");
      cancel.wait_for(std::chrono::hours(1));
      return Error(ErrorCode::Cancelled, "Cancelled.");
    }

   private:
    CancelSource& source_;
  };
  CancelSource source;
  Waiting thinker(source);
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});

  const auto answer =
      scene.engine.run_parallel({.session = id}, thinker, {}, source.token());

  EXPECT_EQ(answer.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(scene.engine.session(id)->tokens_reserved, 0);
  EXPECT_TRUE(scene.engine.session(id)->parallel_runs.empty());
}

// Runs a session with a fixed seed, clock and replies and returns its events.
std::vector<store::Event> schedule(Strategy strategy) {
  EngineScene scene({}, 42);
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c"});
  ScriptedThinker thinker({{"branch_1", {"hm", bad_plan(), good_plan("1")}},
                           {"branch_2", {bad_plan(), "hm", good_plan("2")}},
                           {"branch_3", {"hm", "hm", bad_plan()}}});
  const std::string run_id =
      scene.engine.begin_parallel({.session = id, .strategy = strategy}, {})
          .value();
  for (int round = 0; !scene.engine.parallel_answer(id, run_id).value();
       ++round) {
    if (round == 100) throw std::runtime_error("The run has not ended.");
    const auto wanted = scene.engine.wanted(id, run_id).value();
    for (const ThinkRequest& request : wanted) {
      scene.clock.advance(std::chrono::milliseconds(7));
      EXPECT_TRUE(scene.engine.accept(id, run_id, request.id,
                                      thinker.think(request, {})));
    }
  }
  return scene.events(id);
}

TEST(EngineParallel, ReplaysBitIdentically) {
  for (const Strategy strategy :
       {Strategy::Race, Strategy::Best, Strategy::Vote, Strategy::Bandit}) {
    EXPECT_EQ(schedule(strategy), schedule(strategy));
  }
}

TEST(EngineParallel, SameCallResumesInterruptedRun) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  const std::string run =
      scene.engine.begin_parallel({.session = id}, {}).value();
  const auto asked = scene.engine.wanted(id, run).value();
  const auto reserved = scene.engine.session(id)->tokens_reserved;

  // The same call from another process.
  const auto other = scene.another(2);
  EXPECT_EQ(other->begin_parallel({.session = id}, {}).value(), run);
  const auto again = other->wanted(id, run).value();

  ASSERT_EQ(again.size(), asked.size());
  EXPECT_EQ(again[0].id, asked[0].id);
  EXPECT_EQ(other->session(id)->tokens_reserved, reserved);
  EXPECT_EQ(scene.engine
                .begin_parallel({.session = id, .strategy = Strategy::Vote}, {})
                .error()
                .code(),
            ErrorCode::FailedPrecondition);
}

TEST(EngineParallel, SameCallDoesNotTakeOverDrivenRun) {
  class Curious : public Thinker {
   public:
    Curious(ThoughtEngine& engine, std::string session)
        : engine_(engine), session_(std::move(session)) {}
    Result<ThoughtReply> think(const ThinkRequest&,
                               const CancelToken&) override {
      const auto begun = engine_.begin_parallel({.session = session_}, {});
      is_refused = is_refused && !begun;
      return ThoughtReply{.text = "No plan."};
    }
    std::atomic<bool> is_refused = true;

   private:
    ThoughtEngine& engine_;
    const std::string session_;
  };
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  Curious thinker(scene.engine, id);

  EXPECT_TRUE(scene.engine.run_parallel({.session = id}, thinker, {}, {}));
  EXPECT_TRUE(thinker.is_refused);
}

TEST(EngineParallel, BranchBelongsToOneActiveRun) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});
  scene.engine.begin_parallel({.session = id}, {}).value();

  EXPECT_EQ(scene.engine.begin_parallel({.session = id, .branches = {"a"}}, {})
                .error()
                .code(),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(scene.engine.parallel_answer(id, "par_9").error().code(),
            ErrorCode::NotFound);
}

}  // namespace
}  // namespace lamarck::thought
