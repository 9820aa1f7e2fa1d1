#include <thread>
#include <vector>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;

template <class Work>
void run_threads(int threads, const Work& work) {
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&work, i] { work(i); });
  }
}

TEST(EngineConcurrency, NeverExceedsTokenBudget) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 1000});
  std::vector<std::unique_ptr<ThoughtEngine>> engines;
  for (std::uint64_t i = 0; i < 3; ++i) engines.push_back(scene.another(i + 2));

  run_threads(9, [&](int worker) {
    ThoughtEngine& engine = *engines[static_cast<std::size_t>(worker) % 3];
    for (int i = 0; i < 30; ++i) {
      const auto answer = engine.add_step(
          {.session = id, .content = "more", .token_cost = 7}, {});
      if (!answer) {
        EXPECT_EQ(answer.error().code(), ErrorCode::BudgetExceeded)
            << answer.error().message();
        return;
      }
    }
  });

  const Session session = scene.engine.session(id).value();
  EXPECT_EQ(session.state, SessionState::BudgetExceeded);
  EXPECT_EQ(session.tokens_used, 994);
  EXPECT_TRUE(scene.journal->verify().value().empty());
}

TEST(EngineConcurrency, NeverExceedsBranchBudget) {
  EngineScene scene;
  const std::string id = scene.start({.branches = 5});
  const auto other = scene.another(2);

  run_threads(8, [&](int worker) {
    ThoughtEngine& engine = worker % 2 == 0 ? scene.engine : *other;
    for (int i = 0; i < 3; ++i) {
      const auto answer = engine.fork(
          {.session = id, .children = {{.content = "one more"}}}, {});
      if (!answer) {
        EXPECT_EQ(answer.error().code(), ErrorCode::BudgetExceeded);
      }
    }
  });

  EXPECT_EQ(scene.engine.session(id)->branches.size(), 6u);
}

TEST(EngineConcurrency, ConcurrentRequestsWithOneKeyAreRecordedOnce) {
  EngineScene scene;
  const std::string id = scene.start();
  const auto other = scene.another(2);
  std::vector<std::string> answers(8);

  run_threads(8, [&](int worker) {
    ThoughtEngine& engine = worker % 2 == 0 ? scene.engine : *other;
    answers[static_cast<std::size_t>(worker)] =
        engine
            .add_step({.session = id, .content = "once"},
                      {.idempotency_key = "k"})
            .value();
  });

  for (const std::string& answer : answers) EXPECT_EQ(answer, answers[0]);
  EXPECT_EQ(scene.events(id).size(), 2u);
}

TEST(EngineConcurrency, KeepsAllEventsWhenSessionsExceedCache) {
  EngineScene scene({.max_open_sessions = 3});
  std::vector<std::string> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(scene.start());

  run_threads(8, [&](int worker) {
    for (int i = 0; i < 40; ++i) {
      const auto& id = ids[static_cast<std::size_t>(worker + i) % ids.size()];
      EXPECT_TRUE(scene.engine.add_step(
          {.session = id, .content = "thought", .token_cost = 1}, {}));
    }
  });

  for (const std::string& id : ids) {
    EXPECT_EQ(scene.engine.session(id)->tokens_used, 40);
  }
}

TEST(EngineConcurrency, AcceptsWritesDuringParallelRun) {
  class Chatty : public Thinker {
   public:
    Chatty(ThoughtEngine& engine, std::string session)
        : engine_(engine), session_(std::move(session)) {}
    Result<ThoughtReply> think(const ThinkRequest&,
                               const CancelToken&) override {
      for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(engine_.add_step(
            {.session = session_, .content = "aside", .token_cost = 1}, {}));
      }
      return ThoughtReply{.text = good_plan(), .tokens = 20};
    }

   private:
    ThoughtEngine& engine_;
    const std::string session_;
  };
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b", "c"});
  Chatty thinker(scene.engine, id);

  const auto answer = scene.engine.run_parallel(
      {.session = id, .strategy = Strategy::Vote}, thinker, {}, CancelToken());

  EXPECT_TRUE(answer);
  EXPECT_EQ(scene.engine.session(id)->branches.at("main").steps, 15);
}

TEST(EngineConcurrency, CountsHealingOutcomesOfConcurrentWriters) {
  EngineScene scene;
  const auto other = scene.another(2);
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(scene.start());
    scene.validate(ids.back(), "main", good_plan());
    scene.engine.export_plan(ids.back(), "main", {}).value();
  }

  run_threads(6, [&](int worker) {
    ThoughtEngine& engine = worker % 2 == 0 ? scene.engine : *other;
    const auto& id = ids[static_cast<std::size_t>(worker)];
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(engine.receive_evidence(
          {.session = id,
           .branch = "main",
           .execution_id = std::to_string(i),
           .success = false,
           .failure = {.stderr_text = "No space left on device"}},
          {}));
    }
  });

  EXPECT_EQ(scene.journal->events("healing").value().size(), 30u);
  EXPECT_EQ(dump_json(scene.engine.healing()->to_json()),
            dump_json(other->healing()->to_json()));
}

}  // namespace
}  // namespace lamarck::thought
