#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::bad_plan;
using internal::EngineScene;
using internal::good_plan;

TEST(EnginePlans, RejectsWithSuggestionsThenValidatesRevisedPlan) {
  EngineScene scene;
  const std::string id = scene.start();

  const Json rejected = scene.validate(id, "main", bad_plan());
  EXPECT_EQ(rejected["passes"], false);
  EXPECT_EQ(rejected["state"], "rejected");
  EXPECT_FALSE(rejected["review"]["suggestions"].empty());
  const store::Event critique =
      scene.journal->event(rejected["critique"].get<std::string>()).value();
  EXPECT_EQ(critique.type, "critique");
  EXPECT_EQ(critique.role, "critic");
  EXPECT_FALSE(critique.content.empty());

  const Json revised = scene.validate(id, "main", good_plan());
  EXPECT_EQ(revised["state"], "validated");
  EXPECT_EQ(scene.engine.session(id)->branches.at("main").rejections, 1);
}

TEST(EnginePlans, ExportRequiresValidatedBranch) {
  EngineScene scene;
  const std::string id = scene.start();
  EXPECT_EQ(scene.engine.export_plan(id, "main", {}).error().code(),
            ErrorCode::FailedPrecondition);
  scene.validate(id, "main", good_plan("x"));
  EXPECT_EQ(scene.engine.export_doc_plan(id, "main", {}).error().code(),
            ErrorCode::FailedPrecondition);

  const Json exported =
      EngineScene::parsed(scene.engine.export_plan(id, "main", {}));

  EXPECT_EQ(exported["state"], "executing");
  EXPECT_EQ(exported["plan"]["dry_run"], true);
  EXPECT_EQ(exported["plan"]["_got_metadata"]["branch_id"], "main");
}

TEST(EnginePlans, ExportIsRepeatableWhileExecuting) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan("x"));
  const Json first =
      EngineScene::parsed(scene.engine.export_plan(id, "main", {}));
  const std::size_t count = scene.events(id).size();

  const Json again =
      EngineScene::parsed(scene.engine.export_plan(id, "main", {}));

  EXPECT_FALSE(first.contains("repeated"));
  EXPECT_EQ(again["repeated"], true);
  EXPECT_EQ(again["plan"], first["plan"]);
  EXPECT_EQ(again["state"], "executing");
  EXPECT_EQ(again["events"].size(), 0u);
  EXPECT_EQ(scene.events(id).size(), count);
  EXPECT_FALSE(scene.engine.export_doc_plan(id, "main", {}));
  scene.engine
      .receive_evidence({.session = id, .branch = "main", .success = true}, {})
      .value();
  const Error late = scene.engine.export_plan(id, "main", {}).error();
  EXPECT_EQ(late.code(), ErrorCode::FailedPrecondition);
  EXPECT_NE(late.message().find("think_branch"), std::string::npos);
}

TEST(EnginePlans, RejectsNonObjectsAndUnknownTypes) {
  EngineScene scene;
  const std::string id = scene.start();
  const auto code = [&](std::string plan, std::string type,
                        std::string schema = "") {
    return scene.engine
        .validate_plan({.session = id,
                        .plan = std::move(plan),
                        .plan_type = std::move(type),
                        .schema = std::move(schema)},
                       {})
        .error()
        .code();
  };

  EXPECT_EQ(code("[1]", "ExecutionPlan"), ErrorCode::InvalidArgument);
  EXPECT_EQ(code("{", "ExecutionPlan"), ErrorCode::InvalidArgument);
  EXPECT_EQ(code("{}", "TravelPlan"), ErrorCode::NotFound);
  EXPECT_EQ(code("{}", "DocPlan", "{}"), ErrorCode::AlreadyExists);
  EXPECT_NE(code("{}", "TravelPlan", R"({"type": 3})"), ErrorCode::NotFound);
  EXPECT_EQ(scene.events(id).size(), 1u);
}

TEST(EnginePlans, SessionCanRegisterPlanSchema) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a"});
  const std::string schema =
      R"({"type": "object", "required": ["to"],
          "properties": {"to": {"type": "string"}}})";

  const Json first =
      EngineScene::parsed(scene.engine.validate_plan({.session = id,
                                                      .plan = R"({"to": 3})",
                                                      .plan_type = "TravelPlan",
                                                      .schema = schema},
                                                     {}));
  EXPECT_EQ(first["passes"], false);
  const Json second = EngineScene::parsed(
      scene.another(3)->validate_plan({.session = id,
                                       .branch = "a",
                                       .plan = R"({"to": "Rome"})",
                                       .plan_type = "TravelPlan"},
                                      {}));
  EXPECT_EQ(second["review"]["violations"].size(), 0u);
}

TEST(EnginePlans, HighRiskRaisesAlert) {
  EngineScene scene;
  const std::string id = scene.start();
  Json plan = parse_json(good_plan()).value();
  plan["limits"] = {{"max_changes", 1000}, {"max_files", 60}};
  plan["risk_estimate"]["test_coverage"] = 0.0;
  plan["context_sufficiency"]["unresolved_symbol_rate"] = 0.5;

  const Json answer = scene.validate(id, "main", dump_json(plan));

  ASSERT_TRUE(answer.contains("alerts"));
  EXPECT_EQ(answer["alerts"][0]["kind"], "risk");
}

TEST(EngineEvidence, FailureYieldsCritiqueAndHealing) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();

  const Json failed = EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id,
       .branch = "main",
       .execution_id = "run-1",
       .summary = "could not write",
       .failure = {.stderr_text = "PermissionError: [Errno 13]"}},
      {}));

  EXPECT_EQ(failed["critic_needed"], true);
  EXPECT_EQ(failed["state"], "evidence_received");
  EXPECT_EQ(failed["failure"]["category"], "permission_denied");
  EXPECT_EQ(failed["healing"][0]["action"], "switch_tool");
  const store::Event evidence =
      scene.journal->event(failed["event"].get<std::string>()).value();
  EXPECT_EQ(evidence.failure_signature.size(), 16u);
  EXPECT_EQ(evidence.parents[0].type, "contradicts");
}

TEST(EngineEvidence, SameExecutionIsCountedOnce) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  Evidence evidence{.session = id,
                    .branch = "main",
                    .execution_id = "run-1",
                    .failure = {.stderr_text = "disk full"}};

  const auto first = scene.engine.receive_evidence(evidence, {}).value();
  const auto again = scene.another(4)->receive_evidence(evidence, {}).value();

  EXPECT_EQ(again, first);
  EXPECT_EQ(scene.journal->events("healing").value().size(), 1u);
  evidence.success = true;
  EXPECT_EQ(scene.engine.receive_evidence(evidence, {}).error().code(),
            ErrorCode::Conflict);
}

TEST(EngineEvidence, RejectsSuccessWithFailedTests) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();

  const auto refused = scene.engine.receive_evidence(
      {.session = id, .branch = "main", .success = true, .tests_failed = 3},
      {});

  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message().find("success true and tests_failed 3"),
            std::string::npos);
  EXPECT_FALSE(scene.journal->events("healing"));
}

TEST(EngineEvidence, RequiresExportedPlan) {
  EngineScene scene;
  const std::string id = scene.start();

  const auto early = scene.engine.receive_evidence(
      {.session = id, .branch = "main", .success = true}, {});

  EXPECT_EQ(early.error().code(), ErrorCode::FailedPrecondition);
  EXPECT_EQ(early.error().message(),
            "Branch 'main' is init and does not accept evidence; evidence "
            "belongs to a plan: validate one with think_validate_plan, export "
            "it with think_export_plan and execute it first.");
  EXPECT_FALSE(scene.journal->events("healing"));
}

TEST(EngineEvidence, SuccessRatesSurviveRestarts) {
  EngineScene scene;
  const auto category = FailureCategory::PermissionDenied;
  for (int i = 0; i < 3; ++i) {
    const auto engine = scene.another(100 + static_cast<std::uint64_t>(i));
    const std::string id = scene.start();
    scene.validate(id, "main", good_plan());
    engine->export_plan(id, "main", {}).value();
    engine
        ->receive_evidence({.session = id,
                            .branch = "main",
                            .failure = {.stderr_text = "Permission denied"}},
                           {})
        .value();
    engine
        ->receive_evidence({.session = id,
                            .branch = "main",
                            .success = true,
                            .healing_action = "request_approval"},
                           {})
        .value();
  }

  const Healing healing = scene.another(8)->healing().value();

  EXPECT_NEAR(healing.success_rate(category, "request_approval"),
              1 - 0.5 * 0.7 * 0.7 * 0.7, 1e-12);
  EXPECT_EQ(healing.strategies(category)[0].action, "request_approval");
}

TEST(EngineEvidence, RepeatedFailureExhaustsRetries) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  Json last;
  for (int i = 0; i < 4; ++i) {
    last = EngineScene::parsed(scene.engine.receive_evidence(
        {.session = id,
         .branch = "main",
         .failure = {.stderr_text = "Address already in use"}},
        {}));
  }

  EXPECT_EQ(last["failure"]["may_retry"], false);
  EXPECT_FALSE(last["failure"]["reason"].get<std::string>().empty());
}

TEST(EngineEvidence, DocumentCheckIsEvidence) {
  EngineScene scene;
  const std::string id = scene.start();
  const std::string plan = R"({"target_path": "docs/a.md",
      "naming_convention": "kebab-case", "structure_template": "guide",
      "validation_rules": ["has_title"]})";
  const Json validated = EngineScene::parsed(scene.engine.validate_plan(
      {.session = id, .plan = plan, .plan_type = "DocPlan"}, {}));
  ASSERT_EQ(validated["state"], "validated") << validated.dump(1);
  scene.engine.export_doc_plan(id, "main", {}).value();

  const Json answer = EngineScene::parsed(
      scene.engine.receive_doc_validation({.session = id,
                                           .branch = "main",
                                           .validation_id = "v1",
                                           .compliance_score = 0.97,
                                           .placement_correct = true,
                                           .summary = "fine"},
                                          {}));

  EXPECT_EQ(answer["compliant"], true);
  EXPECT_EQ(answer["state"], "evidence_received");
}

TEST(EngineFlow, FromAGoalToADigest) {
  EngineScene scene;
  const std::string id = scene.start();
  ThoughtEngine& engine = scene.engine;
  scene.fork(id, {"text", "ast", "codemod"});
  for (const std::string branch : {"text", "ast", "codemod"}) {
    scene.step(id, "How " + branch + " would do it", branch);
    engine
        .score_branch({.session = id,
                       .branch = branch,
                       .score = {.completeness = 0.5, .risk = 0.4}},
                      {})
        .value();
  }
  EXPECT_EQ(scene.validate(id, "ast", bad_plan())["passes"], false);
  scene.step(id, "Add what is missing", "ast");
  EXPECT_EQ(scene.validate(id, "ast", good_plan())["passes"], true);
  const std::string run =
      engine.begin_parallel({.session = id, .max_rounds = 0}, {}).value();
  EXPECT_TRUE(engine.wanted(id, run)->empty());
  const Json race =
      parse_json(*engine.parallel_answer(id, run).value()).value();
  EXPECT_EQ(race["winner"], "branch_2");
  EXPECT_EQ(race["stopped"].size(), 2u);
  engine.export_plan(id, "ast", {}).value();
  engine
      .receive_evidence({.session = id,
                         .branch = "ast",
                         .execution_id = "e1",
                         .summary = "2 tests failed",
                         .tests_passed = 40,
                         .tests_failed = 2,
                         .failure = {.stderr_text = "FAILED test_a"}},
                        {})
      .value();
  engine
      .receive_evidence({.session = id,
                         .branch = "ast",
                         .execution_id = "e2",
                         .success = true,
                         .tests_passed = 42,
                         .healing_action = "analyze_diff"},
                        {})
      .value();
  const Json reviewed =
      EngineScene::parsed(engine.add_step({.session = id,
                                           .branch = "ast",
                                           .content = "All "
                                                      "green",
                                           .role = "critic",
                                           .is_critique = true},
                                          {}));
  EXPECT_EQ(reviewed["state"], "completed");
  const Json done = EngineScene::parsed(
      engine.control(id, SessionAction::Complete, "done", {}));
  EXPECT_EQ(done["session_state"], "completed");
  const Json metrics = EngineScene::parsed(engine.metrics(id));
  EXPECT_EQ(metrics["first_pass_success"], false);
  EXPECT_EQ(metrics["early_stop_count"], 2);
  const auto early = std::ranges::count_if(
      metrics["branches"],
      [](const Json& branch) { return branch["early_stopped"] == true; });
  EXPECT_EQ(early, 2);
  EXPECT_GT(metrics["waste_ratio"].get<double>(), 0);
  EXPECT_EQ(metrics["evidence_chain"].back()["step"], "end");
  const Json digest = EngineScene::parsed(engine.digest(id, ""));
  EXPECT_NE(digest["digest"].get<std::string>().find("Winner: branch_2"),
            std::string::npos);
}

TEST(EngineEvidence, KeepsExecutionAndShowsChain) {
  EngineScene scene;
  const std::string id = scene.start();
  scene.step(id, "The idea");
  scene.validate(id, "main", bad_plan());
  scene.validate(id, "main", good_plan());
  scene.engine.export_plan(id, "main", {}).value();
  const Json answer = EngineScene::parsed(scene.engine.receive_evidence(
      {.session = id,
       .branch = "main",
       .execution_id = "1",
       .success = false,
       .tests_passed = 41,
       .tests_failed = 1,
       .failure = {.stderr_text = std::string(40'000, 'x') +
                                  "\npassword=hunter2hunter2\nAssertionError",
                   .tool = "pytest",
                   .arguments = R"({"path": "tests", "password": "abc"})",
                   .exit_code = 3}},
      {}));
  EXPECT_EQ(answer["evidence_id"], answer["event"]);
  EXPECT_EQ(answer["next_step"], "critic_review");

  const Json metrics = EngineScene::parsed(scene.engine.metrics(id));

  std::vector<std::string> steps;
  for (const Json& link : metrics["evidence_chain"]) {
    std::string step = link["step"];
    if (link.contains("status"))
      step += " " + link["status"].get<std::string>();
    steps.push_back(step);
  }
  EXPECT_EQ(steps,
            (std::vector<std::string>{
                "plan done", "validate fail", "validate pass", "export done",
                "execution failure", "tests", "evidence done"}));
  const Json& execution = metrics["evidence_chain"][4];
  EXPECT_EQ(execution["tool"], "pytest");
  EXPECT_EQ(execution["exit_code"], 3);
  EXPECT_EQ(execution["arguments"]["path"], "tests");
  EXPECT_EQ(metrics["evidence_chain"][5]["passed"], 41);
  EXPECT_EQ(metrics["evidence_chain"][5]["failed"], 1);
  const std::string tail = execution["stderr_tail"];
  EXPECT_TRUE(tail.ends_with("AssertionError"));
  EXPECT_LE(tail.size(), 2000u);
  EXPECT_EQ(metrics.dump().find("hunter2"), std::string::npos);
  EXPECT_EQ(metrics.dump().find("abc"), std::string::npos);
}

TEST(EngineEvidence, UnknownHealingActionListsKnownOnes) {
  EngineScene scene;
  const auto refused = scene.engine.receive_evidence({.session = scene.start(),
                                                      .branch = "main",
                                                      .execution_id = "1",
                                                      .success = true,
                                                      .healing_action = "pray"},
                                                     {});
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message().find("analyze_diff, ask_user"),
            std::string::npos)
      << refused.error().message();
}

TEST(EngineUsage, TokensOfEndedSessionsAddUp) {
  EngineScene scene;
  std::int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string id = scene.start();
    scene.step(id, "Some thought");
    scene.engine.control(id, SessionAction::Complete, "", {}).value();
    sum += scene.engine.session(id)->tokens_used;
  }
  const std::string open = scene.start();
  scene.step(open, "Another thought");
  sum += scene.engine.session(open)->tokens_used;

  const Json metrics = EngineScene::parsed(scene.another(2)->metrics(open));

  EXPECT_EQ(metrics["cumulative"]["tokens"], sum);
  EXPECT_EQ(metrics["cumulative"]["sessions"], 4);
}

}  // namespace
}  // namespace lamarck::thought
