// The SQL of jobs and evolution_logs.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

Result<Job> insert_job(SkillSql& sql, Job job);
// Fails with BudgetExceeded if the agent has evolved too often or too recently.
// Counts in the transaction that inserts the job, so that two processes cannot
// both take the last place. Times in the future count as recent.
Result<void> check_evolution_rate(SkillSql& sql, const AgentRecord& agent);
// Whether `take_job` would find one.
Result<bool> has_open_job(SkillSql& sql);
Result<std::optional<Job>> take_job(SkillSql& sql, std::string_view worker,
                                    std::chrono::seconds lease);
Result<void> end_job(SkillSql& sql, const Job& job);
Result<Job> find_job(SkillSql& sql, std::string_view org, std::string_view id);
Result<std::vector<Job>> list_jobs(SkillSql& sql, std::string_view org,
                                   std::size_t limit);

Result<void> insert_log(SkillSql& sql, std::string_view org, EvolutionLog log);
Result<std::vector<EvolutionLog>> list_logs(SkillSql& sql, std::string_view org,
                                            std::string_view session_id,
                                            std::size_t limit);

}  // namespace lamarck::skills::internal
