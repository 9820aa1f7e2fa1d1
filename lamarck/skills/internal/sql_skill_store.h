// SkillStore by means of SQL, for any database.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/skills/internal/agent_rows.h"
#include "lamarck/skills/internal/job_rows.h"
#include "lamarck/skills/internal/ledger_rows.h"
#include "lamarck/skills/internal/search_rows.h"
#include "lamarck/skills/internal/skill_archive.h"
#include "lamarck/skills/internal/skill_changes.h"
#include "lamarck/skills/internal/skill_rows.h"
#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/internal/webhook_rows.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

// For work that belongs to no organization.
inline constexpr std::string_view kAllOrganizations;

// Transactions has the members
//   read(org, work), write(org, work)
//                            run `work(SkillSql&)` in a transaction; `write`
//                            excludes other writers, so that what `work` reads
//                            still holds when it writes. A database that can
//                            hides the rows of other organizations;
//   claim(is_due, work)      like write, unless `is_due` says that there
//                            is nothing to claim;
//   watched_number()         differs after any change.
template <class Transactions>
class SqlSkillStore : public SkillStore, private Transactions {
 public:
  using Transactions::Transactions;

  Result<std::int64_t> change_number() override {
    return this->watched_number();
  }

  Result<AgentRecord> create_agent(const AgentRecord& agent) override {
    return this->write(agent.org_id,
                       [&](SkillSql& sql) { return insert_agent(sql, agent); });
  }
  Result<AgentRecord> agent(std::string_view org,
                            std::string_view id_or_name) override {
    return this->read(
        org, [&](SkillSql& sql) { return find_agent(sql, org, id_or_name); });
  }
  Result<std::vector<AgentRecord>> agents(std::string_view org) override {
    return this->read(org,
                      [&](SkillSql& sql) { return list_agents(sql, org); });
  }
  Result<AgentRecord> update_agent(const AgentRecord& agent) override {
    return this->write(agent.org_id,
                       [&](SkillSql& sql) { return change_agent(sql, agent); });
  }

  Result<Skill> register_skill(const Registration& registration) override {
    return this->write(registration.skill.org_id, [&](SkillSql& sql) {
      return register_in(sql, registration);
    });
  }
  Result<Skill> skill(std::string_view org, std::string_view id) override {
    return this->read(org,
                      [&](SkillSql& sql) { return find_skill(sql, org, id); });
  }
  Result<Skill> usable_skill(std::string_view org, std::string_view agent_id,
                             std::string_view name) override {
    return this->read(org, [&](SkillSql& sql) {
      return find_usable_skill(sql, org, agent_id, name);
    });
  }
  Result<SkillPage> skills(std::string_view org,
                           const SkillFilter& filter) override {
    return this->read(
        org, [&](SkillSql& sql) { return list_skills(sql, org, filter); });
  }
  Result<Skill> review(std::string_view org, std::string_view id, bool approves,
                       std::string_view reviewer,
                       std::string_view comment) override {
    return this->write(org, [&](SkillSql& sql) {
      return review_in(sql, org, id, approves, reviewer, comment);
    });
  }
  Result<Skill> deprecate(std::string_view org, std::string_view id,
                          std::string_view reason) override {
    return this->write(
        org, [&](SkillSql& sql) { return deprecate_in(sql, org, id, reason); });
  }
  Result<Skill> promote(std::string_view org, std::string_view id,
                        std::string_view by) override {
    return this->write(
        org, [&](SkillSql& sql) { return promote_in(sql, org, id, by); });
  }
  Result<Skill> share(std::string_view org, std::string_view id,
                      bool is_shared) override {
    return this->write(
        org, [&](SkillSql& sql) { return share_in(sql, org, id, is_shared); });
  }
  Result<std::vector<Skill>> versions(std::string_view org,
                                      std::string_view id) override {
    return this->read(org, [&](SkillSql& sql) -> Result<std::vector<Skill>> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, id));
      return list_versions(sql, skill);
    });
  }
  Result<Skill> roll_back(std::string_view org, std::string_view id,
                          std::int64_t version) override {
    return this->write(org, [&](SkillSql& sql) -> Result<Skill> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, id));
      return restore_version(sql, skill, version);
    });
  }
  Result<Stats> stats(std::string_view org,
                      std::string_view agent_id) override {
    return this->read(org, [&](SkillSql& sql) -> Result<Stats> {
      ASSIGN_OR_RETURN(const AgentRecord agent, find_agent(sql, org, agent_id));
      return skill_stats(sql, org, agent.id);
    });
  }

  Result<std::int64_t> index_revision(std::string_view org) override {
    return this->read(org,
                      [&](SkillSql& sql) { return read_revision(sql, org); });
  }
  Result<std::vector<StoredVector>> vectors(std::string_view org,
                                            std::string_view agent_id,
                                            std::string_view embedder_id,
                                            bool usable_only) override {
    return this->read(org, [&](SkillSql& sql) {
      return list_vectors(sql, org, agent_id, embedder_id, usable_only);
    });
  }
  Result<std::vector<TextHit>> text_search(std::string_view org,
                                           std::string_view agent_id,
                                           std::string_view words,
                                           std::size_t limit) override {
    return this->read(org, [&](SkillSql& sql) {
      return find_text(sql, org, agent_id, words, limit);
    });
  }
  Result<std::vector<std::string>> outdated_vectors(
      std::string_view org, std::string_view embedder_id,
      std::size_t limit) override {
    return this->read(org, [&](SkillSql& sql) {
      return list_outdated(sql, org, embedder_id, limit);
    });
  }
  Result<void> set_vector(std::string_view org, std::string_view id,
                          std::string_view embedder_id,
                          const std::vector<float>& embedding) override {
    return this->write(org, [&](SkillSql& sql) -> Result<void> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, id));
      return update_vector(sql, skill, embedder_id, embedding);
    });
  }

  Result<SkillUse> record_use(std::string_view org,
                              const SkillUse& use) override {
    return this->write(org, [&](SkillSql& sql) -> Result<SkillUse> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, use.skill_id));
      SkillUse recorded = use;
      recorded.skill_version = skill.version;
      return insert_use(sql, org, std::move(recorded));
    });
  }
  Result<Skill> report_use(std::string_view org, std::string_view use_id,
                           bool success, std::int64_t steps,
                           std::int64_t tokens,
                           std::string_view message) override {
    return this->write(org, [&](SkillSql& sql) {
      return report_in(sql, org,
                       {.id = std::string(use_id),
                        .outcome = success ? "success" : "failure",
                        .steps = steps,
                        .tokens = tokens,
                        .message = std::string(message)});
    });
  }
  Result<std::vector<SkillUse>> uses(std::string_view org,
                                     std::string_view skill_id,
                                     std::size_t limit) override {
    return this->read(org, [&](SkillSql& sql) -> Result<std::vector<SkillUse>> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, skill_id));
      return list_uses(sql, org, skill.id, limit);
    });
  }
  Result<SkillUse> use(std::string_view org, std::string_view id) override {
    return this->read(org,
                      [&](SkillSql& sql) { return find_use(sql, org, id); });
  }
  Result<std::vector<Pitfall>> pitfalls(std::string_view org,
                                        std::string_view skill_id) override {
    return this->read(org, [&](SkillSql& sql) -> Result<std::vector<Pitfall>> {
      ASSIGN_OR_RETURN(const Skill skill, find_skill(sql, org, skill_id));
      return list_pitfalls(sql, skill.id);
    });
  }
  Result<void> record_task(std::string_view org,
                           const TaskRecord& task) override {
    return this->write(
        org, [&](SkillSql& sql) { return insert_task(sql, org, task); });
  }
  Result<std::vector<TaskRecord>> tasks(std::string_view org,
                                        std::string_view family,
                                        std::size_t limit) override {
    return this->read(org, [&](SkillSql& sql) {
      return list_tasks(sql, org, family, limit);
    });
  }
  Result<std::size_t> mark_cleanup_candidates(std::string_view org) override {
    return this->write(org,
                       [&](SkillSql& sql) { return mark_unused_in(sql, org); });
  }
  Result<std::vector<std::string>> organizations() override {
    return this->read(kAllOrganizations,
                      [&](SkillSql& sql) { return list_organizations(sql); });
  }

  Result<Job> queue_evolution(std::string_view org, std::string_view agent_id,
                              const Json& payload) override {
    return this->write(org, [&](SkillSql& sql) -> Result<Job> {
      ASSIGN_OR_RETURN(const AgentRecord agent, find_agent(sql, org, agent_id));
      if (!agent.evolution.enabled) {
        return Error(ErrorCode::FailedPrecondition,
                     "Evolution is off for the agent " + agent.name +
                         "; turn it on with evolution.enabled.");
      }
      RETURN_IF_ERROR(check_evolution_rate(sql, agent));
      ASSIGN_OR_RETURN(Job job, insert_job(sql, {.org_id = std::string(org),
                                                 .agent_id = agent.id,
                                                 .kind = "evolve",
                                                 .payload = payload}));
      RETURN_IF_ERROR(insert_event(
          sql, {.org_id = std::string(org),
                .type = "evolution.triggered",
                .payload = {{"job_id", job.id}, {"agent_id", job.agent_id}}}));
      return job;
    });
  }
  Result<Job> queue_job(const Job& job) override {
    return this->write(job.org_id,
                       [&](SkillSql& sql) { return insert_job(sql, job); });
  }
  Result<std::optional<Job>> claim_job(std::string_view worker,
                                       std::chrono::seconds lease) override {
    return this->claim(
        [&](SkillSql& sql) { return has_open_job(sql); },
        [&](SkillSql& sql) { return take_job(sql, worker, lease); });
  }
  Result<void> finish_job(const Job& job) override {
    return this->write(kAllOrganizations,
                       [&](SkillSql& sql) { return end_job(sql, job); });
  }
  Result<Job> job(std::string_view org, std::string_view id) override {
    return this->read(org,
                      [&](SkillSql& sql) { return find_job(sql, org, id); });
  }
  Result<std::vector<Job>> jobs(std::string_view org,
                                std::size_t limit) override {
    return this->read(
        org, [&](SkillSql& sql) { return list_jobs(sql, org, limit); });
  }

  Result<void> add_log(std::string_view org, const EvolutionLog& log) override {
    return this->write(
        org, [&](SkillSql& sql) { return insert_log(sql, org, log); });
  }
  Result<std::vector<EvolutionLog>> logs(std::string_view org,
                                         std::string_view session_id,
                                         std::size_t limit) override {
    return this->read(org, [&](SkillSql& sql) {
      return list_logs(sql, org, session_id, limit);
    });
  }

  Result<Webhook> add_webhook(const Webhook& webhook) override {
    return this->write(webhook.org_id, [&](SkillSql& sql) {
      return insert_webhook(sql, webhook);
    });
  }
  Result<std::vector<Webhook>> webhooks(std::string_view org) override {
    return this->read(org,
                      [&](SkillSql& sql) { return list_webhooks(sql, org); });
  }
  Result<void> remove_webhook(std::string_view org,
                              std::string_view id) override {
    return this->write(
        org, [&](SkillSql& sql) { return delete_webhook(sql, org, id); });
  }
  Result<void> add_event(const OutboxEvent& event) override {
    return this->write(event.org_id,
                       [&](SkillSql& sql) { return insert_event(sql, event); });
  }
  Result<std::optional<Delivery>> claim_delivery(
      std::chrono::seconds lease) override {
    return this->claim(
        [&](SkillSql& sql) { return has_due_delivery(sql); },
        [&](SkillSql& sql) { return take_delivery(sql, lease); });
  }
  Result<void> finish_delivery(std::string_view id, bool delivered,
                               std::string_view message,
                               std::chrono::seconds retry_after,
                               std::int64_t max_attempts) override {
    return this->write(kAllOrganizations, [&](SkillSql& sql) {
      return end_delivery(sql, id, delivered, message, retry_after,
                          max_attempts);
    });
  }
  Result<std::vector<DeliveryRow>> deliveries(std::string_view org,
                                              std::size_t limit) override {
    return this->read(
        org, [&](SkillSql& sql) { return list_deliveries(sql, org, limit); });
  }

  Result<std::uint64_t> export_rows(
      const std::function<Result<void>(const Json&)>& write) override {
    return this->read(kAllOrganizations, [&](SkillSql& sql) {
      return internal::export_rows(sql, write);
    });
  }
  Result<void> import_rows(const std::vector<Json>& rows) override {
    return this->write(kAllOrganizations, [&](SkillSql& sql) -> Result<void> {
      ASSIGN_OR_RETURN(const bool is_empty, is_empty_store(sql));
      if (!is_empty) {
        return Error(ErrorCode::FailedPrecondition,
                     "The skill store must be empty to import into it.");
      }
      for (const Json& row : rows) RETURN_IF_ERROR(import_row(sql, row));
      return {};
    });
  }

  Result<TokenRecord> add_token(const TokenRecord& record,
                                std::string_view token_hash) override {
    return this->write(record.org_id, [&](SkillSql& sql) {
      return insert_token(sql, record, token_hash);
    });
  }
  Result<std::optional<TokenRecord>> find_token(
      std::string_view token_hash) override {
    return this->read(kAllOrganizations, [&](SkillSql& sql) {
      return find_token_row(sql, token_hash);
    });
  }
  Result<bool> has_tokens() override {
    return this->read(kAllOrganizations,
                      [&](SkillSql& sql) { return has_token_rows(sql); });
  }
  Result<std::vector<TokenRecord>> tokens(std::string_view org) override {
    return this->read(org,
                      [&](SkillSql& sql) { return list_tokens(sql, org); });
  }
  Result<void> remove_token(std::string_view org,
                            std::string_view id) override {
    return this->write(
        org, [&](SkillSql& sql) { return delete_token(sql, org, id); });
  }
};

}  // namespace lamarck::skills::internal
