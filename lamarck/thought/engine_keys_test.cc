// Tests of the keys for repeated requests: those of callers and those of the
// engine.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"
#include "lamarck/thought/internal/request_key.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;
using internal::good_plan;

// A session whose plan is being executed.
std::string executing(EngineScene& scene) {
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  return id;
}

Evidence make_evidence(const std::string& session) {
  return {.session = session,
          .branch = "main",
          .execution_id = "r1",
          .success = true,
          .summary = "fine"};
}

TEST(EngineKeys, CallerKeysNeverCollideWithEngineKeys) {
  EngineScene scene;
  const std::string id = executing(scene);
  for (const char* key :
       {"evidence:r1", "doc_validation:r1", "par_11:answer"}) {
    scene.engine
        .add_step({.session = id, .content = key}, {.idempotency_key = key})
        .value();
  }
  ASSERT_EQ(scene.engine.session(id)->head, 6u);
  scene.fork(id, {"a", "b"});

  EXPECT_TRUE(scene.engine.receive_evidence(make_evidence(id), {}));
  scene.validate(id, "a", good_plan());
  const std::string run =
      scene.engine.begin_parallel({.session = id, .max_rounds = 0}, {}).value();
  ASSERT_EQ(run, "par_11");
  EXPECT_TRUE(scene.engine.parallel_answer(id, run).value().has_value());
}

TEST(EngineKeys, ConflictNamesKeyAsGivenByCaller) {
  EngineScene scene;
  const std::string id = executing(scene);
  const Caller caller{.idempotency_key = "k1"};
  scene.engine.add_step({.session = id, .content = "one"}, caller).value();
  scene.engine.receive_evidence(make_evidence(id), {}).value();
  Evidence other = make_evidence(id);
  other.summary = "finer";

  const Error step =
      scene.engine.add_step({.session = id, .content = "two"}, caller).error();
  const Error evidence = scene.engine.receive_evidence(other, {}).error();

  EXPECT_EQ(step.code(), ErrorCode::Conflict);
  EXPECT_EQ(step.fields().at("key"), "k1");
  EXPECT_NE(step.message().find("idempotency key 'k1'"), std::string::npos);
  EXPECT_EQ(evidence.code(), ErrorCode::Conflict);
  EXPECT_NE(evidence.message().find("execution_id 'r1'"), std::string::npos);
  EXPECT_EQ(evidence.message().find(id), std::string::npos);
}

// Earlier versions stored the engine's answers in the key space of the callers.
TEST(EngineKeys, FindsAnswersOfOlderJournals) {
  EngineScene newer;
  const std::string id = executing(newer);
  newer.engine.receive_evidence(make_evidence(id), {}).value();
  store::Answer kept =
      newer.journal->answer(id + "/evidence:r1").value().value();
  EngineScene older;
  ASSERT_EQ(executing(older), id);
  kept.key = id + ":evidence:r1";
  older.journal->append({.run = id, .new_state = "active", .answer = kept})
      .value();
  const std::size_t count = older.events(id).size();

  const auto again = older.engine.receive_evidence(make_evidence(id), {});

  EXPECT_EQ(again.value(), kept.text);
  EXPECT_EQ(older.events(id).size(), count);
}

TEST(EngineKeys, MissingRunIsReportedAsMissingSession) {
  const Error lost(ErrorCode::NotFound,
                   "There is no run \"sess_1\" in this journal.",
                   {{"run", "sess_1"}});

  const Error translated = internal::in_callers_words(lost, {});

  EXPECT_EQ(translated.code(), ErrorCode::NotFound);
  EXPECT_EQ(translated.message(),
            "Session 'sess_1' no longer exists; start one with "
            "think_session_start.");
}

}  // namespace
}  // namespace lamarck::thought
