// The tables of skills, agents, jobs, uses, logs, tokens and webhooks behind
// one interface. Every member takes the organization first, and what belongs to
// another organization does not exist for it (NotFound).
//
// Each backend passes the same tests (skill_store_suite_test.cc).

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills {

struct SkillFilter {
  std::optional<SkillStatus> status;
  std::string agent_id;    // "" = any.
  std::string cursor;      // Opaque; of the previous page. "" = start.
  std::size_t limit = 20;  // 1 to 100.
};
struct SkillPage {
  std::vector<Skill> skills;  // Newest first.
  std::string next_cursor;    // "" = the last page.
};

enum class StageStatus : std::uint8_t { Started, Completed, Failed, Skipped };
enum class Stage : std::uint8_t { Extract, Validate, Register, Index };
std::string_view stage_status_name(StageStatus status);  // "started".
std::string_view stage_name(Stage stage);                // "extract".

// A row of evolution_logs.
struct EvolutionLog {
  std::string id;
  std::string agent_id;
  std::string session_id;
  Stage stage = Stage::Extract;
  StageStatus status = StageStatus::Started;
  std::string evolved_skill_id;
  Json input_data;
  Json output_data;
  std::string error_message;
  std::int64_t duration_ms = 0;
  std::int64_t tokens_used = 0;
  Clock::WallTime created_at{};
};

Json to_json(const EvolutionLog& log);

// Work that survives a crash: claimed by one worker at a time for a limited
// time, and done once.
struct Job {
  std::string id;
  std::string org_id;
  std::string agent_id;
  std::string kind;  // "evolve", "reindex", "decay".
  Json payload;
  std::string state;     // "queued", "running", "done", "failed", "skipped".
  std::string message;   // Why it failed or was skipped.
  std::string skill_id;  // What came of it.
  std::int64_t attempts = 0;
  Clock::WallTime created_at{};
  Clock::WallTime updated_at{};
};

Json to_json(const Job& job);

// A line of the ledger: a skill was offered or used in a run.
struct SkillUse {
  std::string id;
  std::string skill_id;
  std::int64_t skill_version = 1;
  std::string agent_id;
  std::string session_id;
  std::string kind;     // "offered", "used".
  std::string outcome;  // "", "success", "failure".
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  std::string message;
  Clock::WallTime created_at{};
};

Json to_json(const SkillUse& use);

// How a skill failed before, so that the next user is warned. The text comes
// from tools and agents: data, not an instruction.
struct Pitfall {
  std::string text;
  std::int64_t count = 0;
  Clock::WallTime last_seen_at{};
};

// A task of an agent, with or without skills: what the measured lift is
// computed from.
struct TaskRecord {
  std::string id;
  std::string agent_id;
  std::string session_id;
  std::string family;  // The skill it was solved with, or could have been.
  bool used_skill = false;
  bool success = false;
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  std::int64_t model_calls = 0;
  Clock::WallTime created_at{};
};

// An event for webhooks, written with the change that it reports.
struct OutboxEvent {
  std::string id;
  std::string org_id;
  std::string type;  // "evolution.skill_created".
  Json payload;
  Clock::WallTime created_at{};
};

struct Webhook {
  std::string id;
  std::string org_id;
  std::string url;
  std::string secret;
  std::vector<std::string> events;  // Empty = all.
  bool is_active = true;
  Clock::WallTime created_at{};
};
struct Delivery {
  std::string id;
  Webhook webhook;
  OutboxEvent event;
  std::int64_t attempts = 0;
};

struct TokenRecord {
  std::string id;
  std::string org_id;
  std::string role;  // "member", "reviewer", "admin".
  std::string label;
  Clock::WallTime created_at{};
};

// What changes a skill writes its event into the outbox in the same
// transaction. Times come from the clock the store was opened with. Thread
// safety: all members may be called from any thread; several processes may use
// the same file.
class SkillStore {
 public:
  virtual ~SkillStore() = default;

  // Agents. Fails with AlreadyExists if the organization has the name.
  virtual Result<AgentRecord> create_agent(const AgentRecord& agent) = 0;
  virtual Result<AgentRecord> agent(std::string_view org,
                                    std::string_view id_or_name) = 0;
  virtual Result<std::vector<AgentRecord>> agents(std::string_view org) = 0;
  virtual Result<AgentRecord> update_agent(const AgentRecord& agent) = 0;

  // Skills. `register_skill` writes the row, its vector, its first version, the
  // log of INDEX and the outbox event in one transaction.
  struct Registration {
    Skill skill;
    std::string embedder_id;
    std::vector<float> embedding;
    std::vector<EvolutionLog> logs;
    std::string job_id;    // Becomes "done" in the same transaction; "" = none.
    std::string replaces;  // A skill that gets this definition as its next
                           // version, with its statistics; "" = a new skill.
  };
  virtual Result<Skill> register_skill(const Registration& registration) = 0;
  virtual Result<Skill> skill(std::string_view org, std::string_view id) = 0;
  // The newest skill of that name that the agent may use.
  virtual Result<Skill> usable_skill(std::string_view org,
                                     std::string_view agent_id,
                                     std::string_view name) = 0;
  virtual Result<SkillPage> skills(std::string_view org,
                                   const SkillFilter& filter) = 0;
  // `approves` false = rejects. Also ends a disablement and a deprecation.
  virtual Result<Skill> review(std::string_view org, std::string_view id,
                               bool approves, std::string_view reviewer,
                               std::string_view comment) = 0;
  virtual Result<Skill> deprecate(std::string_view org, std::string_view id,
                                  std::string_view reason) = 0;
  // Copies it to `skills` with source_type "evolved". Only of an approved one.
  virtual Result<Skill> promote(std::string_view org, std::string_view id,
                                std::string_view by) = 0;
  virtual Result<Skill> share(std::string_view org, std::string_view id,
                              bool is_shared) = 0;
  virtual Result<std::vector<Skill>> versions(std::string_view org,
                                              std::string_view id) = 0;
  // The definition of `version` becomes the newest version.
  virtual Result<Skill> roll_back(std::string_view org, std::string_view id,
                                  std::int64_t version) = 0;
  struct Stats {
    std::int64_t total_evolved = 0;
    std::int64_t approved_count = 0;  // By review or automatically.
    std::int64_t rejected_count = 0;
    std::int64_t pending_count = 0;
    double approval_rate = 0;  // Approved / (approved + rejected).
    std::int64_t total_reuse_count = 0;
    double avg_quality_score = 0;
    std::vector<Skill> top_skills;  // By use_count, at most 5.
  };
  virtual Result<Stats> stats(std::string_view org,
                              std::string_view agent_id) = 0;

  // A number that differs after any change, also by another process, so that a
  // cache of replies knows when to drop them. Cheap, and never waits for a
  // commit.
  virtual Result<std::int64_t> change_number() = 0;

  // Search: the vectors and the full-text index of usable skills that `agent`
  // may use (its own and shared ones).
  struct StoredVector {
    std::string skill_id;
    std::vector<float> embedding;
  };
  // A number that changes whenever the set of usable skills or their vectors
  // change, so that a cache knows when to reload.
  virtual Result<std::int64_t> index_revision(std::string_view org) = 0;
  virtual Result<std::vector<StoredVector>> vectors(
      std::string_view org, std::string_view agent_id,
      std::string_view embedder_id, bool usable_only) = 0;
  struct TextHit {
    std::string skill_id;
    double score = 0;  // BM25; larger is better.
  };
  virtual Result<std::vector<TextHit>> text_search(std::string_view org,
                                                   std::string_view agent_id,
                                                   std::string_view words,
                                                   std::size_t limit) = 0;
  // Ids of skills whose vector another embedder made.
  virtual Result<std::vector<std::string>> outdated_vectors(
      std::string_view org, std::string_view embedder_id,
      std::size_t limit) = 0;
  virtual Result<void> set_vector(std::string_view org, std::string_view id,
                                  std::string_view embedder_id,
                                  const std::vector<float>& embedding) = 0;

  // The ledger. `report_use` updates the counts of the skill, notes the message
  // of a failure as a pitfall and applies the decay rules that depend on uses,
  // in one transaction. Fails with FailedPrecondition if already reported.
  virtual Result<SkillUse> record_use(std::string_view org,
                                      const SkillUse& use) = 0;
  virtual Result<Skill> report_use(std::string_view org,
                                   std::string_view use_id, bool success,
                                   std::int64_t steps, std::int64_t tokens,
                                   std::string_view message) = 0;
  virtual Result<std::vector<SkillUse>> uses(std::string_view org,
                                             std::string_view skill_id,
                                             std::size_t limit) = 0;
  virtual Result<SkillUse> use(std::string_view org, std::string_view id) = 0;
  // Most frequent first.
  virtual Result<std::vector<Pitfall>> pitfalls(std::string_view org,
                                                std::string_view skill_id) = 0;
  virtual Result<void> record_task(std::string_view org,
                                   const TaskRecord& task) = 0;
  virtual Result<std::vector<TaskRecord>> tasks(std::string_view org,
                                                std::string_view family,
                                                std::size_t limit) = 0;
  // Marks skills unused for 30 days; returns how many.
  virtual Result<std::size_t> mark_cleanup_candidates(std::string_view org) = 0;
  virtual Result<std::vector<std::string>> organizations() = 0;

  // Jobs. `queue_evolution` checks the rate and the cooldown of the agent and
  // queues the job in one transaction; fails with BudgetExceeded.
  virtual Result<Job> queue_evolution(std::string_view org,
                                      std::string_view agent_id,
                                      const Json& payload) = 0;
  virtual Result<Job> queue_job(const Job& job) = 0;
  // Claims a job that is queued, or running with a claim that has expired;
  // nullopt if there is none. One that was started less often comes first, then
  // the oldest, so that a job that kills its worker does not block the others.
  virtual Result<std::optional<Job>> claim_job(std::string_view worker,
                                               std::chrono::seconds lease) = 0;
  virtual Result<void> finish_job(const Job& job) = 0;  // By state.
  virtual Result<Job> job(std::string_view org, std::string_view id) = 0;
  virtual Result<std::vector<Job>> jobs(std::string_view org,
                                        std::size_t limit) = 0;

  virtual Result<void> add_log(std::string_view org,
                               const EvolutionLog& log) = 0;
  // Of one session, or of all if it is "". Newest first.
  virtual Result<std::vector<EvolutionLog>> logs(std::string_view org,
                                                 std::string_view session_id,
                                                 std::size_t limit) = 0;

  // Webhooks.
  virtual Result<Webhook> add_webhook(const Webhook& webhook) = 0;
  virtual Result<std::vector<Webhook>> webhooks(std::string_view org) = 0;
  virtual Result<void> remove_webhook(std::string_view org,
                                      std::string_view id) = 0;
  virtual Result<void> add_event(const OutboxEvent& event) = 0;
  // Claims a delivery that is due; nullopt if there is none.
  virtual Result<std::optional<Delivery>> claim_delivery(
      std::chrono::seconds lease) = 0;
  // Ends a delivery, or schedules the next attempt; dead after `max_attempts`.
  virtual Result<void> finish_delivery(std::string_view id, bool delivered,
                                       std::string_view message,
                                       std::chrono::seconds retry_after,
                                       std::int64_t max_attempts) = 0;
  struct DeliveryRow {
    std::string id;
    std::string webhook_id;
    std::string event_type;
    std::string state;  // "pending", "delivered", "dead".
    std::int64_t attempts = 0;
    std::string message;
  };
  virtual Result<std::vector<DeliveryRow>> deliveries(std::string_view org,
                                                      std::size_t limit) = 0;

  // Copies. `export_rows` passes the rows of all organizations to `write`, each
  // as {"record": TABLE, COLUMN: VALUE...}, and returns their number.
  virtual Result<std::uint64_t> export_rows(
      const std::function<Result<void>(const Json&)>& write) = 0;
  // Inserts exported rows, all or none. Fails with FailedPrecondition if there
  // are rows already.
  virtual Result<void> import_rows(const std::vector<Json>& rows) = 0;

  // Tokens: only the SHA-256 of a token is stored.
  virtual Result<TokenRecord> add_token(const TokenRecord& record,
                                        std::string_view token_hash) = 0;
  virtual Result<std::optional<TokenRecord>> find_token(
      std::string_view token_hash) = 0;
  // Whether any organization has a token.
  virtual Result<bool> has_tokens() = 0;
  virtual Result<std::vector<TokenRecord>> tokens(std::string_view org) = 0;
  virtual Result<void> remove_token(std::string_view org,
                                    std::string_view id) = 0;
};

struct SkillStoreOptions {
  std::string path;  // A file or a PostgreSQL URL; "" = in memory.
  bool durable = true;
};
// `clock` must outlive the store.
Result<std::unique_ptr<SkillStore>> open_skill_store(
    const SkillStoreOptions& options, Clock& clock);
Result<std::unique_ptr<SkillStore>> open_sqlite_skill_store(
    const SkillStoreOptions& options, Clock& clock);
Result<std::unique_ptr<SkillStore>> open_postgres_skill_store(
    const SkillStoreOptions& options, Clock& clock);

// The organization of a program that serves one user.
inline constexpr std::string_view kLocalOrganization = "local";

}  // namespace lamarck::skills
