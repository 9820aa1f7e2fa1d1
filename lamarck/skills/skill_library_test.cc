#include "lamarck/skills/skill_library.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/llm/scripted_chat_model_fixture.h"
#include "lamarck/skills/skill_quality.h"
#include "lamarck/skills/skill_samples_fixture.h"

namespace lamarck::skills {
namespace {

using std::chrono_literals::operator""s;

class SkillLibraryTest : public testing::Test {
 protected:
  void SetUp() override { open({}); }

  void open(SkillLibraryOptions options) {
    library_.reset();
    store_ = std::move(open_sqlite_skill_store({}, clock_)).value();
    AgentRecord agent = sample_agent("acme", "ada");
    agent.allowed = {"issue_refund"};
    agent_ = store_->create_agent(agent).value();
    library_ =
        std::move(SkillLibrary::open(*store_, std::move(options), clock_))
            .value();
  }

  // Learns and returns the job when it has ended.
  Job learn(const Trace& trace) {
    const Job job = library_->learn("acme", agent_.id, trace).value();
    EXPECT_TRUE(library_->run_one_job({}).value());
    return store_->job("acme", job.id).value();
  }
  SkillMatches search(std::string_view task) {
    return library_->search("acme", agent_.id, task, 5, {}).value();
  }

  ManualClock clock_{Clock::WallTime(1'800'000'000s)};
  std::unique_ptr<SkillStore> store_;
  std::unique_ptr<SkillLibrary> library_;
  AgentRecord agent_;
};

TEST_F(SkillLibraryTest, LearnsASkillAndLogsEachStage) {
  std::vector<std::string> states;
  const Remover remove =
      library_->use_profiler([&](const EvolutionFinished& event) {
        states.push_back(event.payload.state);
      });
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));
  remove();

  ASSERT_EQ(job.state, "done") << job.message;
  const Skill skill = store_->skill("acme", job.skill_id).value();
  EXPECT_EQ(skill.status, SkillStatus::AutoApproved);
  EXPECT_GE(skill.definition.quality_score, 0.8);
  EXPECT_EQ(states, (std::vector<std::string>{"done"}));
  std::vector<std::string> stages;
  const auto logs = store_->logs("acme", "session-W123", 20).value();
  for (const EvolutionLog& log : logs) {
    stages.insert(stages.begin(), fmt::format("{} {}", stage_name(log.stage),
                                              stage_status_name(log.status)));
  }
  EXPECT_EQ(stages,
            (std::vector<std::string>{"extract started", "extract completed",
                                      "validate started", "validate completed",
                                      "register started", "register completed",
                                      "index started", "index completed"}));
  EXPECT_FALSE(library_->run_one_job({}).value());
}

TEST_F(SkillLibraryTest, SkipsWhatIsCoveredAndMergesWhatGeneralizes) {
  const Job first = learn(refund_trace("Ada", "W123", "sku-9"));
  const Job second = learn(refund_trace("Bob", "W777", "sku-1"));
  EXPECT_EQ(second.state, "skipped");
  EXPECT_NE(second.message.find("covers it"), std::string::npos);

  Trace third = refund_trace("Cy", "W888", "sku-2");
  third.calls[2].arguments["reason"] = "damaged";
  const Job merged = learn(third);
  ASSERT_EQ(merged.state, "done") << merged.message;
  EXPECT_EQ(merged.skill_id, first.skill_id);
  const Skill skill = store_->skill("acme", first.skill_id).value();
  EXPECT_EQ(skill.version, 2);
  EXPECT_TRUE(skill.definition.parameters.contains("reason"));
  EXPECT_EQ(store_->skills("acme", {})->skills.size(), 1u);
}

TEST_F(SkillLibraryTest, FindsTheSkillWithArgumentsOrAbstains) {
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));

  const SkillMatches found = search("Refund order W555 of customer Zoe");
  ASSERT_EQ(found.matches.size(), 1u) << found.reason;
  EXPECT_EQ(found.matches[0].skill.id, job.skill_id);
  EXPECT_EQ(found.matches[0].suggested_arguments,
            (Json{{"name", "Zoe"}, {"order_id", "W555"}}));
  const SkillMatches none = search("Translate the poem into French");
  EXPECT_TRUE(none.matches.empty());
  EXPECT_FALSE(none.reason.empty());
}

TEST_F(SkillLibraryTest, RefusesTracesThatDoNotMeetTheTrigger) {
  const auto code = [&](const Trace& trace) {
    return library_->learn("acme", agent_.id, trace).error().code();
  };
  Trace trace = refund_trace("Ada", "W123", "sku-9");
  trace.reflection.success = false;
  EXPECT_EQ(code(trace), ErrorCode::FailedPrecondition);
  trace = refund_trace("Ada", "W123", "sku-9");
  trace.calls.pop_back();
  EXPECT_EQ(code(trace), ErrorCode::FailedPrecondition);
  trace = refund_trace("Ada", "W123", "sku-9");
  trace.reflection.reusability = 0.69;
  EXPECT_EQ(code(trace), ErrorCode::FailedPrecondition);
  trace = refund_trace("Ada", "W123", "sku-9");
  trace.skills_used = {"some"};
  EXPECT_EQ(code(trace), ErrorCode::FailedPrecondition);
}

TEST_F(SkillLibraryTest, FailsIfAStepIsNotAllowed) {
  agent_.allowed.clear();
  agent_ = store_->update_agent(agent_).value();
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));
  EXPECT_EQ(job.state, "failed");
  EXPECT_NE(job.message.find("not allowed"), std::string::npos);
  EXPECT_TRUE(store_->skills("acme", {})->skills.empty());
}

TEST_F(SkillLibraryTest, RedactsTracesBeforeTheyAreStored) {
  Trace trace = refund_trace("Ada", "W123", "sku-9");
  trace.calls[2].arguments["note"] = "password=hunter2secret";
  const Job job = library_->learn("acme", agent_.id, trace).value();
  EXPECT_EQ(dump_json(job.payload).find("hunter2secret"), std::string::npos);
  ASSERT_TRUE(library_->run_one_job({}).value());
  EXPECT_EQ(store_->job("acme", job.id)->state, "failed");
}

TEST_F(SkillLibraryTest, UsesAreReportedAndDisableAFailingSkill) {
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));
  for (int i = 0; i < 3; ++i) {
    const SkillUse use =
        library_->begin_use("acme", agent_.id, job.skill_id, "s").value();
    ASSERT_TRUE(library_->report_use("acme", use.id, false, 1, 10, "404"));
  }
  EXPECT_FALSE(library_->begin_use("acme", agent_.id, job.skill_id, "s"));
  EXPECT_TRUE(search("Refund order W555 of customer Zoe").matches.empty());
  ASSERT_TRUE(store_->review("acme", job.skill_id, true, "r", ""));
  EXPECT_EQ(search("Refund order W555 of customer Zoe").matches.size(), 1u);
}

TEST_F(SkillLibraryTest, LiftComparesTasksWithAndWithoutTheSkill) {
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));
  const auto record = [&](bool used, std::int64_t tokens) {
    ASSERT_TRUE(store_->record_task("acme", {.family = job.skill_id,
                                             .used_skill = used,
                                             .success = true,
                                             .tokens = tokens}));
  };
  record(false, 900);
  record(true, 200);
  record(true, 400);
  const SkillLift lift = library_->lift("acme", job.skill_id).value();
  EXPECT_EQ(lift.with_count, 2);
  EXPECT_DOUBLE_EQ(lift.with_tokens, 300);
  EXPECT_DOUBLE_EQ(lift.without_tokens, 900);
}

TEST_F(SkillLibraryTest, RepairsTheAnswerOfTheModelOnce) {
  Json answer = to_json(sample_draft("Refund an order"));
  const std::string valid = R"({
    "name": "Refund an order", "description": "Refunds an order of a customer.",
    "trigger_keywords": ["refund"],
    "steps": [
      {"order": 1, "action": "Find", "tool": "find_customer",
       "params_template": {"name": {"$param": "customer"}}},
      {"order": 2, "action": "Read", "tool": "read_order",
       "params_template": {"order_id": {"$param": "order"},
         "customer_id": {"$result": {"step": 1, "path": "/customer/id"}}}},
      {"order": 3, "action": "Refund", "tool": "issue_refund",
       "params_template": {"order_id": {"$param": "order"},
         "sku": {"$result": {"step": 2, "path": "/items/0/sku"}},
         "amount": {"$result": {"step": 2, "path": "/items/0/price"}},
         "reason": "requested"}}],
    "parameters": {"customer": {"type": "string", "required": true},
                   "order": {"type": "string", "required": true}},
    "reusability_score": 0.8})";
  auto model =
      std::make_shared<llm::ScriptedChatModel>(std::vector<Result<std::string>>{
          "Sure! {oops", "```json\n" + valid + "\n```",
          R"({"score": 0.9, "reusability": 0.75, "reason": "General."})"});
  open({.model = model});
  const Job job = learn(refund_trace("Ada", "W123", "sku-9"));
  ASSERT_EQ(job.state, "done") << job.message;
  EXPECT_EQ(model->requests().size(), 3u);
  const SkillDraft made = store_->skill("acme", job.skill_id)->definition;
  EXPECT_EQ(made.name, "Refund an order");
  EXPECT_DOUBLE_EQ(made.quality_score, 0.9);
  EXPECT_DOUBLE_EQ(made.reusability_score, 0.75);

  open({.model = std::make_shared<llm::ScriptedChatModel>(
            std::vector<Result<std::string>>{dump_json(answer)})});
  const Job failed = learn(refund_trace("Ada", "W123", "sku-9"));
  EXPECT_EQ(failed.state, "failed");
  EXPECT_NE(failed.message.find("exactly the calls"), std::string::npos);
}

TEST_F(SkillLibraryTest, ReindexesWhenTheEmbedderChanges) {
  ASSERT_TRUE(store_->register_skill([&] {
    auto registration = sample_registration(agent_, "Count words of a file");
    registration.skill.status = SkillStatus::AutoApproved;
    return registration;
  }()));
  library_ = std::move(SkillLibrary::open(*store_, {}, clock_)).value();
  EXPECT_TRUE(library_->run_one_job({}).value());
  EXPECT_TRUE(
      store_->outdated_vectors("acme", library_->embedder().id(), 5)->empty());
}

TEST(SkillQuality, WeightsAddUpToOne) {
  double sum = 0;
  for (const QualityRule& rule : quality_rules()) sum += rule.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(SkillQuality, LowerBoundOfTheSuccessRateGrowsWithEvidence) {
  EXPECT_NEAR(success_lower_bound(0, 0), 0.05, 1e-6);
  EXPECT_NEAR(success_lower_bound(1, 1), 0.2236, 1e-4);  // sqrt(0.05).
  EXPECT_NEAR(success_lower_bound(9, 9), 0.7411, 1e-4);  // 0.05^(1/10).
  EXPECT_LT(success_lower_bound(10, 5), 0.5);
  EXPECT_GT(success_lower_bound(1'000'000, 990'000), 0.97);
}

}  // namespace
}  // namespace lamarck::skills
