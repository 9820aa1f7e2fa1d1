// Tests of what thinkers and digests remember of a long session.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"
#include "lamarck/thought/internal/path_memory.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;
using internal::PathStep;
using internal::remembered;

constexpr const char* kFact = "The staging database listens on port 54329.";

// A session with 300 steps on main; the third one states a fact.
std::string long_session(EngineScene& scene) {
  const std::string id = scene.start({.tokens = 60'000});
  for (int i = 1; i <= 300; ++i) {
    scene.step(id, i == 3 ? std::string(kFact)
                          : fmt::format("Step {}: read another part of the "
                                        "code and found nothing new in it.",
                                        i));
  }
  return id;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Succeeds only if its prompt states the fact.
class RecallingThinker : public Thinker {
 public:
  Result<ThoughtReply> think(const ThinkRequest& request,
                             const CancelToken&) override {
    prompts.push_back(request.prompt);
    return ThoughtReply{.text = has(request.prompt, "54329") ? good_plan()
                                                             : "I forgot it."};
  }
  std::vector<std::string> prompts;
};

TEST(EngineMemory, ThinkerRecallsThirdOfThreeHundredSteps) {
  EngineScene scene;
  const std::string id = long_session(scene);
  scene.fork(id, {"a"});
  RecallingThinker thinker;

  const Json answer = EngineScene::parsed(
      scene.engine.run_parallel({.session = id}, thinker, {}, {}));

  EXPECT_EQ(answer["winner"], "branch_1");
  ASSERT_EQ(thinker.prompts.size(), 1u);
  // The newest steps are whole.
  EXPECT_TRUE(has(thinker.prompts[0],
                  "Step 300: read another part of the code and found nothing "
                  "new in it."));
}

TEST(EngineMemory, DigestOfThreeHundredStepsHasTheFactAndItsNumber) {
  EngineScene scene;
  const std::string id = long_session(scene);

  const Json digest = EngineScene::parsed(scene.engine.digest(id, ""));

  EXPECT_LE(digest["tokens"].get<int>(), 200);
  const std::string text = digest["digest"];
  EXPECT_TRUE(has(text, "54329")) << text;
  EXPECT_TRUE(has(text, "Criteria: [open] tests pass")) << text;
  EXPECT_TRUE(has(text, "Next: ")) << text;
  // Event 1 starts the session, so step 3 is event 4.
  ASSERT_TRUE(digest["references"].contains("#4")) << text;
  const Json event = EngineScene::parsed(
      scene.engine.event(id, digest["references"]["#4"].get<std::string>()));
  EXPECT_EQ(event["event"]["content"], kFact);
  EXPECT_EQ(EngineScene::parsed(scene.engine.event(id, "#4")), event);
}

TEST(EngineMemory, PathLeadsFromMainThroughForkAndMerge) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.step(id, "on main");
  scene.fork(id, {"a", "b"});
  scene.step(id, "later on main");
  scene.step(id, "on a", "a");
  scene.step(id, "on b", "b");
  scene.engine
      .add_step({.session = id,
                 .branch = "a",
                 .content = "a secret of a",
                 .is_private = true},
                {})
      .value();
  scene.engine
      .merge({.session = id, .into = "a", .from = {"b"}, .content = "both"}, {})
      .value();

  const Json path = EngineScene::parsed(scene.engine.path(id, "a", 0, 100));
  std::vector<std::string> texts;
  for (const Json& step : path["events"]) texts.push_back(step["content"]);

  EXPECT_EQ(texts, (std::vector<std::string>{"on main", "Try a", "Try b",
                                             "on a", "on b", "both"}));
}

TEST(EngineMemory, ThinkerSeesCritiquesAndEvidence) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.step(id, "the main idea");
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  scene.engine
      .receive_evidence({.session = id,
                         .branch = "main",
                         .execution_id = "1",
                         .success = false,
                         .summary = "two tests are red"},
                        {})
      .value();
  scene.fork(id, {"retry"});
  const std::string run =
      scene.engine.begin_parallel({.session = id, .branches = {"retry"}}, {})
          .value();

  const std::string prompt = scene.engine.wanted(id, run)->at(0).prompt;

  for (const char* part : {"the main idea", "two tests are red",
                           "critique: It failed", "Try retry"}) {
    EXPECT_TRUE(has(prompt, part)) << part << "\n" << prompt;
  }
}

TEST(EngineMemory, MemoryFitsTokenShare) {
  EngineScene scene;
  const std::string id = scene.start({.tokens = 12'000});
  for (int i = 0; i < 40; ++i) {
    scene.step(id, fmt::format("{} {}", i, std::string(150, 'x')));
  }
  scene.fork(id, {"a", "b", "c"});
  const std::string run =
      scene.engine.begin_parallel({.session = id}, {}).value();

  const auto wanted = scene.engine.wanted(id, run).value();

  EXPECT_EQ(wanted.size(), 3u);
  const Session session = scene.engine.session(id).value();
  EXPECT_LE(session.tokens_used + session.tokens_reserved, 12'000);
  EXPECT_GT(session.tokens_reserved, 0);
}

TEST(EngineMemory, EvidenceDecidesCriteria) {
  EngineScene scene;
  const std::string id = EngineScene::parsed(scene.engine.start_session(
      {.goal = "Release",
       .success_criteria = {"all tests pass", "docs", "tag"}},
      {}))["session"];
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  const Evidence evidence{.session = id,
                          .branch = "main",
                          .execution_id = "1",
                          .success = true,
                          .criteria_failed = {"2"}};
  Evidence unknown = evidence;
  unknown.criteria_met = {"no such criterion"};
  EXPECT_EQ(scene.engine.receive_evidence(unknown, {}).error().code(),
            ErrorCode::InvalidArgument);
  scene.engine.receive_evidence(evidence, {}).value();

  const Json digest = EngineScene::parsed(scene.engine.digest(id, ""));

  EXPECT_TRUE(has(digest["digest"],
                  "[met #4] all tests pass; [failed #4] docs; [open] tag"))
      << digest["digest"];

  const Json ended = EngineScene::parsed(
      scene.engine.control(id, SessionAction::Complete, "done", {}));
  EXPECT_TRUE(has(ended["warning"], "not met: 'docs'")) << ended;
}

TEST(EngineMemory, EventsArePaged) {
  EngineScene scene;
  const std::string id = scene.start();
  for (int i = 0; i < 5; ++i) scene.step(id, fmt::format("step {}", i));

  const Json first = EngineScene::parsed(scene.engine.events(id, 0, 4));
  const Json rest = EngineScene::parsed(
      scene.engine.events(id, first["after_seq"].get<std::uint64_t>(), 4));

  EXPECT_EQ(first["events"].size(), 4u);
  EXPECT_EQ(rest["events"].size(), 2u);
  EXPECT_FALSE(rest.contains("after_seq"));
  EXPECT_EQ(scene.engine.event(id, "#7").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(scene.engine.event(id, "evt_none").error().code(),
            ErrorCode::NotFound);
}

TEST(PathMemory, KeepsAllStepsIfTheyFit) {
  const std::vector<PathStep> steps = {
      {.seq = 2, .type = "plan_step", .text = "one"},
      {.seq = 5, .type = "critique", .text = "two"}};
  EXPECT_EQ(remembered(steps, "", 100), "#2 one\n#5 critique: two\n");
  EXPECT_EQ(remembered(steps, "", 0), "");
  EXPECT_EQ(remembered({}, "", 100), "");
}

TEST(PathMemory, NeverExceedsItsTokens) {
  std::vector<PathStep> steps;
  for (std::uint64_t i = 0; i < 200; ++i) {
    steps.push_back({.seq = i + 1,
                     .type = i % 7 == 0 ? "critique" : "plan_step",
                     .text = fmt::format("word{} and {} more of the same, "
                                         "längere Wörter auch",
                                         i * i, std::string(i % 90, 'x'))});
  }
  for (const std::int64_t max : {10, 20, 50, 100, 300, 1000, 5000}) {
    EXPECT_LE(estimate_tokens(remembered(steps, "word49", max)), max) << max;
  }
}

TEST(PathMemory, ShortenedStepKeepsItsRarestWord) {
  std::vector<PathStep> steps;
  for (std::uint64_t i = 0; i < 60; ++i) {
    std::string text;
    for (int j = 0; j < 60; ++j) text += "filler ";
    if (i == 1) text += "use libzephyr 42 because ";
    for (int j = 0; j < 60; ++j) text += "filler ";
    steps.push_back({.seq = i + 1, .type = "plan_step", .text = text});
  }
  EXPECT_TRUE(has(remembered(steps, "", 400), "libzephyr"));
}

}  // namespace
}  // namespace lamarck::thought
