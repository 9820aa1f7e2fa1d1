// The contract of SkillStore, tested on every implementation.

#include <unistd.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/skills/skill_samples_fixture.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/postgres/postgres_server_fixture.h"

namespace lamarck::skills {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""h;

using OpenStore = std::unique_ptr<SkillStore> (*)(const std::string& path,
                                                  Clock& clock);

struct Backend {
  std::string name;
  OpenStore open;
  bool is_shared_by_path;  // Two stores with one path see the same rows.
};

std::unique_ptr<SkillStore> open_file(const std::string& path, Clock& clock) {
  return std::move(open_sqlite_skill_store({.path = path}, clock)).value();
}
std::unique_ptr<SkillStore> open_postgres(const std::string&, Clock& clock) {
  return std::move(open_postgres_skill_store(
                       {.path = store::PostgresServer::shared().url()}, clock))
      .value();
}
// As a user to whom the policies of the tables apply.
std::unique_ptr<SkillStore> open_restricted(const std::string&, Clock& clock) {
  const store::PostgresServer& server = store::PostgresServer::shared();
  server.run(
      "DO $$ BEGIN IF to_regrole('member') IS NULL THEN "
      "CREATE ROLE member LOGIN; GRANT CREATE ON DATABASE postgres TO member; "
      "END IF; END $$");
  return std::move(open_postgres_skill_store(
                       {.path = server.url("postgres", "member")}, clock))
      .value();
}
std::unique_ptr<SkillStore> open_memory(const std::string&, Clock& clock) {
  return std::move(open_sqlite_skill_store({}, clock)).value();
}

class SkillStoreSuite : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("lamarck_skill_store_{}", getpid());
    std::filesystem::create_directories(folder_);
    store_ = open();
    agent_ = store_->create_agent(sample_agent("acme", "ada")).value();
    stranger_ = store_->create_agent(sample_agent("other", "ada")).value();
  }
  void TearDown() override {
    store_.reset();
    if (GetParam().open == open_postgres ||
        GetParam().open == open_restricted) {
      store::PostgresServer::shared().clear();
    }
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<SkillStore> open() {
    return GetParam().open(folder_ / "skills.db", clock_);
  }
  Skill add_skill(const std::string& name, bool approved = true) {
    SkillStore::Registration registration = sample_registration(agent_, name);
    if (approved) registration.skill.status = SkillStatus::AutoApproved;
    return store_->register_skill(registration).value();
  }
  Skill use(const Skill& skill, bool success, std::string_view message = "") {
    const SkillUse use = store_
                             ->record_use("acme", {.skill_id = skill.id,
                                                   .agent_id = agent_.id,
                                                   .session_id = "s",
                                                   .kind = "used"})
                             .value();
    return store_->report_use("acme", use.id, success, 3, 100, message).value();
  }
  std::set<std::string> event_types() {
    std::set<std::string> types;
    const auto rows = store_->deliveries("acme", 100).value();
    for (const auto& row : rows) {
      types.insert(row.event_type);
    }
    return types;
  }

  std::filesystem::path folder_;
  ManualClock clock_{Clock::WallTime(1'800'000'000s)};
  std::unique_ptr<SkillStore> store_;
  AgentRecord agent_;
  AgentRecord stranger_;
};

TEST_P(SkillStoreSuite, AgentsHaveUniqueNamesWithinTheirOrganization) {
  EXPECT_EQ(store_->create_agent(sample_agent("acme", "ada")).error().code(),
            ErrorCode::AlreadyExists);
  EXPECT_EQ(store_->agent("acme", "ada")->id, agent_.id);
  EXPECT_EQ(store_->agent("acme", stranger_.id).error().code(),
            ErrorCode::NotFound);

  agent_.evolution.min_quality_score = 0.7;
  agent_.config = {{"model", "m"}};
  const AgentRecord changed = store_->update_agent(agent_).value();
  EXPECT_EQ(changed.evolution.min_quality_score, 0.7);
  EXPECT_EQ(store_->agent("acme", agent_.id)->config, agent_.config);
  EXPECT_EQ(store_->agents("acme")->size(), 1u);
}

TEST_P(SkillStoreSuite, RegistersSkillLogJobAndEventTogether) {
  ASSERT_TRUE(store_->add_webhook({.org_id = "acme", .url = "https://x"}));
  const Job job = store_->queue_evolution("acme", agent_.id, {}).value();
  SkillStore::Registration registration = sample_registration(agent_, "count");
  registration.job_id = job.id;
  registration.logs = {{.agent_id = agent_.id,
                        .session_id = "session-1",
                        .stage = Stage::Index,
                        .status = StageStatus::Completed,
                        .output_data = {{"a", 1}},
                        .duration_ms = 4,
                        .tokens_used = 7}};
  const Skill skill = store_->register_skill(registration).value();

  EXPECT_EQ(store_->skill("acme", skill.id)->definition,
            registration.skill.definition);
  EXPECT_EQ(store_->job("acme", job.id)->state, "done");
  EXPECT_EQ(store_->job("acme", job.id)->skill_id, skill.id);
  const EvolutionLog log = store_->logs("acme", "session-1", 10)->at(0);
  EXPECT_EQ(log.evolved_skill_id, skill.id);
  EXPECT_EQ(log.tokens_used, 7);
  EXPECT_EQ(event_types(), (std::set<std::string>{"evolution.triggered",
                                                  "evolution.skill_created"}));
}

TEST_P(SkillStoreSuite, RegistersNothingIfTheJobHasEnded) {
  const Job job = store_->queue_evolution("acme", agent_.id, {}).value();
  Job ended = job;
  ended.state = "failed";
  ASSERT_TRUE(store_->finish_job(ended));
  SkillStore::Registration registration = sample_registration(agent_, "count");
  registration.job_id = job.id;

  EXPECT_FALSE(store_->register_skill(registration));
  EXPECT_TRUE(store_->skills("acme", {})->skills.empty());
  EXPECT_TRUE(store_->text_search("acme", "", "count", 5)->empty());
}

TEST_P(SkillStoreSuite, HidesEverythingOfOtherOrganizations) {
  const Skill skill = add_skill("count");
  const SkillUse use =
      store_->record_use("acme", {.skill_id = skill.id, .kind = "used"})
          .value();
  const Job job = store_->queue_evolution("acme", agent_.id, {}).value();
  const auto hook = store_->add_webhook({.org_id = "acme"}).value();
  const auto token =
      store_->add_token({.org_id = "acme", .role = "admin"}, "h").value();
  const auto is_hidden = [](const auto& result) {
    return !result && result.error().code() == ErrorCode::NotFound;
  };

  EXPECT_TRUE(is_hidden(store_->skill("other", skill.id)));
  EXPECT_TRUE(is_hidden(store_->review("other", skill.id, true, "r", "")));
  EXPECT_TRUE(is_hidden(store_->deprecate("other", skill.id, "")));
  EXPECT_TRUE(is_hidden(store_->promote("other", skill.id, "")));
  EXPECT_TRUE(is_hidden(store_->share("other", skill.id, true)));
  EXPECT_TRUE(is_hidden(store_->versions("other", skill.id)));
  EXPECT_TRUE(is_hidden(store_->roll_back("other", skill.id, 1)));
  EXPECT_TRUE(is_hidden(store_->stats("other", agent_.id)));
  EXPECT_TRUE(is_hidden(store_->set_vector("other", skill.id, "e", {1})));
  EXPECT_TRUE(is_hidden(
      store_->record_use("other", {.skill_id = skill.id, .kind = "used"})));
  EXPECT_TRUE(is_hidden(store_->report_use("other", use.id, true, 1, 1, "")));
  EXPECT_TRUE(is_hidden(store_->use("other", use.id)));
  EXPECT_TRUE(is_hidden(store_->uses("other", skill.id, 5)));
  EXPECT_TRUE(is_hidden(store_->pitfalls("other", skill.id)));
  EXPECT_TRUE(is_hidden(store_->job("other", job.id)));
  EXPECT_TRUE(is_hidden(store_->queue_evolution("other", agent_.id, {})));
  EXPECT_TRUE(is_hidden(store_->remove_webhook("other", hook.id)));
  EXPECT_TRUE(is_hidden(store_->remove_token("other", token.id)));
  SkillStore::Registration stolen = sample_registration(stranger_, "x");
  stolen.replaces = skill.id;
  EXPECT_TRUE(is_hidden(store_->register_skill(stolen)));

  EXPECT_TRUE(store_->skills("other", {})->skills.empty());
  EXPECT_TRUE(store_->vectors("other", "", "test-1", false)->empty());
  EXPECT_TRUE(store_->text_search("other", "", "count", 5)->empty());
  EXPECT_TRUE(store_->jobs("other", 5)->empty());
  EXPECT_TRUE(store_->webhooks("other")->empty());
  EXPECT_TRUE(store_->tokens("other")->empty());
}

TEST_P(SkillStoreSuite, PagesAreStableWhileSkillsAreAdded) {
  std::set<std::string> expected;
  for (int i = 0; i < 25; ++i) {
    expected.insert(add_skill(fmt::format("skill {}", i)).id);
    if (i % 3 == 0) clock_.advance(1s);  // Several share a creation time.
  }

  std::vector<std::string> seen;
  SkillFilter filter{.limit = 4};
  do {
    const SkillPage page = store_->skills("acme", filter).value();
    for (const Skill& skill : page.skills) seen.push_back(skill.id);
    filter.cursor = page.next_cursor;
    clock_.advance(1s);
    add_skill("late");
  } while (!filter.cursor.empty());

  EXPECT_EQ(seen.size(), 25u);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), expected);
}

TEST_P(SkillStoreSuite, FiltersByStatusAndAgentAndChecksTheCursor) {
  const Skill pending = add_skill("pending", false);
  add_skill("approved");

  const auto page =
      store_->skills("acme", {.status = SkillStatus::PendingReview}).value();
  ASSERT_EQ(page.skills.size(), 1u);
  EXPECT_EQ(page.skills[0].id, pending.id);
  EXPECT_EQ(store_->skills("acme", {.agent_id = agent_.id})->skills.size(), 2u);
  EXPECT_TRUE(store_->skills("acme", {.agent_id = "nobody"})->skills.empty());
  for (const char* const cursor : {"zz", "31", "x' OR 1=1", "2e2e"}) {
    EXPECT_EQ(store_->skills("acme", {.cursor = cursor}).error().code(),
              ErrorCode::InvalidArgument)
        << cursor;
  }
  EXPECT_FALSE(store_->skills("acme", {.limit = 0}));
  EXPECT_FALSE(store_->skills("acme", {.limit = 101}));
}

TEST_P(SkillStoreSuite, FifthEvolutionOfAnHourPassesAndSixthDoesNot) {
  agent_.evolution = {.enabled = true};  // 5 per hour, 10 minutes apart.
  agent_ = store_->update_agent(agent_).value();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(store_->queue_evolution("acme", agent_.id, {})) << i;
    clock_.advance(10min);
  }

  const auto sixth = store_->queue_evolution("acme", agent_.id, {});
  ASSERT_EQ(sixth.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_EQ(sixth.error().fields().at("limit"), "max_evolve_per_hour");
  EXPECT_TRUE(store_->queue_evolution("other", stranger_.id, {}));
  clock_.advance(10min);
  EXPECT_TRUE(store_->queue_evolution("acme", agent_.id, {}));
}

TEST_P(SkillStoreSuite, CooldownHoldsAlsoWhenTheClockIsSetBack) {
  agent_.evolution = {.enabled = true};
  agent_ = store_->update_agent(agent_).value();
  ASSERT_TRUE(store_->queue_evolution("acme", agent_.id, {}));
  clock_.advance(10min - 1s);
  EXPECT_EQ(store_->queue_evolution("acme", agent_.id, {})
                .error()
                .fields()
                .at("limit"),
            "cooldown_minutes");
  clock_.set_wall_time(clock_.wall_time() - 2h);
  EXPECT_FALSE(store_->queue_evolution("acme", agent_.id, {}));

  agent_.evolution.enabled = false;
  agent_ = store_->update_agent(agent_).value();
  EXPECT_EQ(store_->queue_evolution("acme", agent_.id, {}).error().code(),
            ErrorCode::FailedPrecondition);
}

TEST_P(SkillStoreSuite, RateHoldsForThreadsAndStoresAtTheSameTime) {
  agent_.evolution = {.enabled = true, .cooldown_minutes = 0};
  agent_ = store_->update_agent(agent_).value();
  std::unique_ptr<SkillStore> second;
  if (GetParam().is_shared_by_path) second = open();
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        SkillStore& used = second && i % 2 == 0 ? *second : *store_;
        for (int k = 0; k < 5; ++k) {
          if (used.queue_evolution("acme", agent_.id, {})) ++passed;
        }
      });
    }
  }

  EXPECT_EQ(passed, 5);
}

TEST_P(SkillStoreSuite, JobsAreClaimedOnceAndAgainAfterTheLease) {
  const Job job =
      store_->queue_evolution("acme", agent_.id, {{"trace", "t"}}).value();
  const Job claimed = store_->claim_job("w1", 30s)->value();
  EXPECT_EQ(claimed.id, job.id);
  EXPECT_EQ(claimed.payload, job.payload);
  EXPECT_FALSE(store_->claim_job("w2", 30s)->has_value());

  clock_.advance(30s);
  Job again = store_->claim_job("w2", 30s)->value();
  EXPECT_EQ(again.attempts, 2);
  again.state = "skipped";
  again.message = "covered";
  ASSERT_TRUE(store_->finish_job(again));
  EXPECT_FALSE(store_->finish_job(again));
  clock_.advance(1h);
  EXPECT_FALSE(store_->claim_job("w1", 30s)->has_value());
  EXPECT_EQ(store_->job("acme", job.id)->message, "covered");
}

TEST_P(SkillStoreSuite, JobThatKillsItsWorkerDoesNotBlockOthers) {
  const Job first = store_->queue_evolution("acme", agent_.id, {}).value();
  ASSERT_EQ(store_->claim_job("w1", 30s)->value().id, first.id);
  clock_.advance(30s);  // The worker died.
  const Job second = store_->queue_evolution("acme", agent_.id, {}).value();
  EXPECT_EQ(store_->claim_job("w2", 30s)->value().id, second.id);
  EXPECT_EQ(store_->claim_job("w2", 30s)->value().id, first.id);
}

TEST_P(SkillStoreSuite, ThreeFailuresInARowDisableUntilReview) {
  const Skill skill = add_skill("flaky");
  use(skill, false, "404");
  use(skill, true);
  use(skill, false, "404");
  EXPECT_FALSE(use(skill, false, "timeout").is_disabled);
  const Skill disabled = use(add_skill("other"), true);
  EXPECT_FALSE(disabled.is_disabled);

  // A fifth use with one success in five is below one half: deprecated.
  const Skill decayed = use(skill, false, "404");
  EXPECT_EQ(decayed.status, SkillStatus::Deprecated);
  EXPECT_FALSE(decayed.is_usable());
  const auto pitfalls = store_->pitfalls("acme", skill.id).value();
  ASSERT_EQ(pitfalls.size(), 2u);
  EXPECT_EQ(pitfalls[0].text, "404");
  EXPECT_EQ(pitfalls[0].count, 3);

  EXPECT_TRUE(
      store_->review("acme", skill.id, true, "r", "fixed")->is_usable());
  EXPECT_TRUE(use(skill, false).is_usable());
  EXPECT_TRUE(use(skill, false).is_usable());
  const Skill again = use(skill, false);
  EXPECT_TRUE(again.is_disabled);
  EXPECT_EQ(again.status, SkillStatus::Approved);
  EXPECT_EQ(again.use_count, 8);
}

TEST_P(SkillStoreSuite, ReportsAUseOnce) {
  const Skill skill = add_skill("count");
  const auto use =
      store_->record_use("acme", {.skill_id = skill.id, .kind = "offered"})
          .value();
  EXPECT_EQ(store_->skill("acme", skill.id)->use_count, 0);
  ASSERT_TRUE(store_->report_use("acme", use.id, true, 4, 50, ""));
  EXPECT_EQ(store_->report_use("acme", use.id, true, 4, 50, "").error().code(),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(store_->skill("acme", skill.id)->use_count, 1);
  const SkillUse line = store_->uses("acme", skill.id, 5)->at(0);
  EXPECT_EQ(line.outcome, "success");
  EXPECT_EQ(line.kind, "used");
  EXPECT_EQ(line.steps, 4);
}

TEST_P(SkillStoreSuite, MarksWhatIsUnusedFor30Days) {
  const Skill unused = add_skill("unused");
  const Skill used = add_skill("used");
  use(used, true);
  clock_.advance(24h * 30);
  EXPECT_EQ(store_->mark_cleanup_candidates("acme").value(), 0u);
  clock_.advance(1s);
  EXPECT_EQ(store_->mark_cleanup_candidates("acme").value(), 1u);
  EXPECT_TRUE(store_->skill("acme", unused.id)->is_cleanup_candidate);
  EXPECT_TRUE(store_->skill("acme", unused.id)->is_usable());

  ASSERT_TRUE(store_->review("acme", unused.id, true, "r", "keep"));
  EXPECT_EQ(store_->mark_cleanup_candidates("acme").value(), 0u);
}

TEST_P(SkillStoreSuite, ReviewPromotionAndDeprecationFollowTheRules) {
  ASSERT_TRUE(store_->add_webhook({.org_id = "acme", .url = "https://x"}));
  const Skill skill = add_skill("count", false);
  EXPECT_EQ(store_->promote("acme", skill.id, "r").error().code(),
            ErrorCode::FailedPrecondition);
  const Skill approved =
      store_->review("acme", skill.id, true, "rita", "good").value();
  EXPECT_EQ(approved.status, SkillStatus::Approved);
  EXPECT_EQ(approved.reviewed_by, "rita");
  EXPECT_EQ(approved.reviewed_at, clock_.wall_time());
  EXPECT_TRUE(store_->promote("acme", skill.id, "r")->is_promoted);
  EXPECT_EQ(store_->promote("acme", skill.id, "r").error().code(),
            ErrorCode::AlreadyExists);
  EXPECT_EQ(store_->deprecate("acme", skill.id, "old")->status,
            SkillStatus::Deprecated);
  EXPECT_EQ(store_->review("acme", skill.id, false, "r", "no")->status,
            SkillStatus::Rejected);
  EXPECT_EQ(event_types(),
            (std::set<std::string>{
                "evolution.skill_created", "evolution.skill_approved",
                "evolution.skill_promoted", "evolution.skill_deprecated",
                "evolution.skill_rejected"}));
}

TEST_P(SkillStoreSuite, KeepsVersionsAndRollsBack) {
  const Skill first = add_skill("first");
  use(first, true);
  SkillStore::Registration next = sample_registration(agent_, "second");
  next.replaces = first.id;
  next.skill.status = SkillStatus::AutoApproved;
  next.embedding = {1, 0};
  const Skill second = store_->register_skill(next).value();
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(second.version, 2);
  EXPECT_EQ(second.use_count, 1);
  EXPECT_TRUE(store_->text_search("acme", "", "first", 5)->empty());

  const Skill third = store_->roll_back("acme", first.id, 1).value();
  EXPECT_EQ(third.version, 3);
  EXPECT_EQ(third.definition.name, "first");
  EXPECT_EQ(store_->versions("acme", first.id)->size(), 3u);
  EXPECT_EQ(store_->vectors("acme", "", "test-1", true)->at(0).embedding,
            (std::vector<float>{0.6F, 0.8F}));
  EXPECT_FALSE(store_->roll_back("acme", first.id, 9));
}

TEST_P(SkillStoreSuite, SearchSeesUsableSkillsOfTheAgentAndSharedOnes) {
  const AgentRecord bob =
      store_->create_agent(sample_agent("acme", "bob")).value();
  const Skill skill = add_skill("count words");
  add_skill("count pending", false);
  const std::int64_t revision = store_->index_revision("acme").value();

  EXPECT_EQ(store_->text_search("acme", agent_.id, "counting", 5)->size(), 1u);
  EXPECT_EQ(store_->vectors("acme", agent_.id, "test-1", true)->size(), 1u);
  EXPECT_EQ(store_->vectors("acme", agent_.id, "test-1", false)->size(), 2u);
  EXPECT_TRUE(store_->vectors("acme", agent_.id, "other-1", false)->empty());
  EXPECT_TRUE(store_->text_search("acme", bob.id, "count", 5)->empty());
  ASSERT_TRUE(store_->share("acme", skill.id, true));
  EXPECT_NE(store_->index_revision("acme").value(), revision);
  EXPECT_EQ(store_->text_search("acme", bob.id, "count", 5)->size(), 1u);
  EXPECT_EQ(store_->vectors("acme", bob.id, "test-1", true)->size(), 1u);
  for (const char* const text :
       {"\"", "count\" OR \"x", "NEAR(", "*", "name:count AND", "''", "--"}) {
    EXPECT_TRUE(store_->text_search("acme", "", text, 5)) << text;
  }
}

TEST_P(SkillStoreSuite, DeliversAtLeastOnceThenGivesUp) {
  const auto hook = store_
                        ->add_webhook({.org_id = "acme",
                                       .url = "https://x",
                                       .secret = "k",
                                       .events = {"evolution.skill_created"}})
                        .value();
  add_skill("count");  // Created and approved; only the first is wanted.
  const Delivery first = store_->claim_delivery(10s)->value();
  EXPECT_EQ(first.webhook.secret, "k");
  EXPECT_EQ(first.event.type, "evolution.skill_created");
  EXPECT_FALSE(store_->claim_delivery(10s)->has_value());
  clock_.advance(10s);  // The worker died.
  const Delivery second = store_->claim_delivery(10s)->value();
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(second.attempts, 2);

  ASSERT_TRUE(store_->finish_delivery(second.id, false, "500", 60s, 3));
  EXPECT_FALSE(store_->claim_delivery(10s)->has_value());
  clock_.advance(60s);
  ASSERT_TRUE(store_->claim_delivery(10s)->has_value());
  ASSERT_TRUE(store_->finish_delivery(second.id, false, "500", 60s, 3));
  EXPECT_EQ(store_->deliveries("acme", 5)->at(0).state, "dead");
  clock_.advance(1h);
  EXPECT_FALSE(store_->claim_delivery(10s)->has_value());
  EXPECT_TRUE(store_->remove_webhook("acme", hook.id));
}

TEST_P(SkillStoreSuite, FindsTokensByTheirHash) {
  const auto token =
      store_
          ->add_token({.org_id = "acme", .role = "reviewer", .label = "ci"},
                      "abc")
          .value();
  EXPECT_EQ(store_->find_token("abc")->value().role, "reviewer");
  EXPECT_TRUE(store_->has_tokens().value());
  EXPECT_FALSE(store_->find_token("abd")->has_value());
  EXPECT_FALSE(store_->add_token({.org_id = "acme", .role = "root"}, "x"));
  ASSERT_TRUE(store_->remove_token("acme", token.id));
  EXPECT_FALSE(store_->find_token("abc")->has_value());
  EXPECT_FALSE(store_->has_tokens().value());
}

TEST_P(SkillStoreSuite, ComputesTheStatisticsOfTheSeed) {
  const Skill first = add_skill("first");
  add_skill("second", false);
  const Skill third = add_skill("third", false);
  ASSERT_TRUE(store_->review("acme", third.id, false, "r", ""));
  use(first, true);
  use(first, true);

  const SkillStore::Stats stats = store_->stats("acme", "ada").value();
  EXPECT_EQ(stats.total_evolved, 3);
  EXPECT_EQ(stats.approved_count, 1);
  EXPECT_EQ(stats.rejected_count, 1);
  EXPECT_EQ(stats.pending_count, 1);
  EXPECT_DOUBLE_EQ(stats.approval_rate, 0.5);
  EXPECT_EQ(stats.total_reuse_count, 2);
  EXPECT_DOUBLE_EQ(stats.avg_quality_score, 0.75);
  ASSERT_EQ(stats.top_skills.size(), 1u);
  EXPECT_EQ(stats.top_skills[0].id, first.id);
}

TEST_P(SkillStoreSuite, RecordsTasksByFamily) {
  ASSERT_TRUE(store_->record_task("acme", {.agent_id = agent_.id,
                                           .family = "f",
                                           .used_skill = true,
                                           .success = true,
                                           .steps = 3}));
  ASSERT_TRUE(store_->record_task("acme", {.family = "g"}));
  EXPECT_EQ(store_->tasks("acme", "f", 10)->size(), 1u);
  EXPECT_EQ(store_->tasks("acme", "", 10)->size(), 2u);
  EXPECT_TRUE(store_->tasks("other", "", 10)->empty());
}

TEST_P(SkillStoreSuite, CopiesAllRowsToAnotherStore) {
  ASSERT_TRUE(store_->add_webhook({.org_id = "acme", .url = "https://x"}));
  const Skill skill = add_skill("count words");
  use(skill, false, "404");
  ASSERT_TRUE(store_->review("acme", skill.id, true, "rita", "good"));
  ASSERT_TRUE(store_->promote("acme", skill.id, "rita"));
  ASSERT_TRUE(store_->queue_evolution(
      "acme", agent_.id, {{"text", std::string("a\0\x10\\u0000", 9)}}));
  ASSERT_TRUE(store_->record_task("acme", {.family = "f", .success = true}));
  ASSERT_TRUE(store_->add_token({.org_id = "acme", .role = "admin"}, "hash"));
  const auto rows_of = [](SkillStore& store) {
    std::vector<Json> rows;
    EXPECT_TRUE(store.export_rows([&](const Json& row) {
      rows.push_back(row);
      return Result<void>();
    }));
    return rows;
  };
  const std::vector<Json> rows = rows_of(*store_);
  EXPECT_GT(rows.size(), 12u);

  const auto copy = open_memory("", clock_);
  ASSERT_TRUE(copy->import_rows(rows));
  EXPECT_EQ(rows_of(*copy), rows);
  EXPECT_EQ(copy->text_search("acme", "", "counting", 5)->size(), 1u);
  EXPECT_EQ(copy->import_rows(rows).error().code(),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(store_->import_rows(rows_of(*copy)).error().code(),
            ErrorCode::FailedPrecondition);
}

INSTANTIATE_TEST_SUITE_P(
    Backends, SkillStoreSuite,
    testing::Values(Backend{"Memory", open_memory, false},
                    Backend{"SqliteFile", open_file, true}),
    [](const auto& backend) { return backend.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Postgres, SkillStoreSuite,
    testing::Values(Backend{"Database", open_postgres, true},
                    Backend{"PlainUser", open_restricted, true}),
    [](const auto& backend) { return backend.param.name; });

}  // namespace
}  // namespace lamarck::skills
