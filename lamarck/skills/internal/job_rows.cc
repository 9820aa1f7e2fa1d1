#include "lamarck/skills/internal/job_rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"

namespace lamarck::skills::internal {
namespace {

#define JOB_COLUMNS                                                 \
  "id, org_id, agent_id, kind, payload, state, message, skill_id, " \
  "attempts, created_at, updated_at"

Result<Job> job_row(const SkillQuery& row) {
  Job job;
  job.id = row.text_at(0);
  job.org_id = row.text_at(1);
  job.agent_id = row.text_at(2);
  job.kind = row.text_at(3);
  ASSIGN_OR_RETURN(job.payload, row.json_at(4));
  job.state = row.text_at(5);
  job.message = row.text_at(6);
  job.skill_id = row.text_at(7);
  job.attempts = row.integer_at(8);
  job.created_at = row.time_at(9);
  job.updated_at = row.time_at(10);
  return job;
}

Stage parse_stage(std::string_view name) {
  for (const Stage stage : {Stage::Extract, Stage::Validate, Stage::Register}) {
    if (stage_name(stage) == name) return stage;
  }
  return Stage::Index;
}

StageStatus parse_stage_status(std::string_view name) {
  for (const StageStatus status :
       {StageStatus::Started, StageStatus::Completed, StageStatus::Failed}) {
    if (stage_status_name(status) == name) return status;
  }
  return StageStatus::Skipped;
}

Result<EvolutionLog> log_row(const SkillQuery& row) {
  EvolutionLog log;
  log.id = row.text_at(0);
  log.agent_id = row.text_at(1);
  log.session_id = row.text_at(2);
  log.stage = parse_stage(row.text_at(3));
  log.status = parse_stage_status(row.text_at(4));
  log.evolved_skill_id = row.text_at(5);
  ASSIGN_OR_RETURN(log.input_data, row.json_at(6));
  ASSIGN_OR_RETURN(log.output_data, row.json_at(7));
  log.error_message = row.text_at(8);
  log.duration_ms = row.integer_at(9);
  log.tokens_used = row.integer_at(10);
  log.created_at = row.time_at(11);
  return log;
}

}  // namespace

Result<Job> insert_job(SkillSql& sql, Job job) {
  if (job.id.empty()) job.id = sql.ids.next();
  job.state = "queued";
  job.created_at = job.updated_at = sql.now;
  RETURN_IF_ERROR(
      sql.query("INSERT INTO jobs (id, org_id, agent_id, kind, payload, state,"
                " created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, 'queued', ?, ?)")
          .id(job.id)
          .text(job.org_id)
          .text(job.agent_id)
          .text(job.kind)
          .json(job.payload)
          .time(sql.now)
          .time(sql.now)
          .run());
  return job;
}

Result<void> check_evolution_rate(SkillSql& sql, const AgentRecord& agent) {
  const EvolutionConfig& config = agent.evolution;
  SkillQuery row = sql.query(
      "SELECT COUNT(*) FROM jobs WHERE org_id = ?"
      " AND agent_id = ? AND kind = 'evolve' AND created_at > ?");
  const std::chrono::minutes cooldown(config.cooldown_minutes);
  row.text(agent.org_id).text(agent.id).time(sql.now - std::chrono::hours(1));
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return Error(ErrorCode::Internal, "COUNT returned no row.");
  if (row.integer_at(0) >= config.max_evolve_per_hour) {
    return Error(ErrorCode::BudgetExceeded,
                 fmt::format("An agent may evolve at most {} skills per hour; "
                             "{} has reached the limit. Try again later.",
                             config.max_evolve_per_hour, agent.name),
                 {{"limit", "max_evolve_per_hour"}});
  }
  // The cooldown may be longer than an hour.
  SkillQuery last = sql.query(
      "SELECT MAX(created_at) FROM jobs WHERE org_id = ? AND agent_id = ?"
      " AND kind = 'evolve'");
  last.text(agent.org_id).text(agent.id);
  ASSIGN_OR_RETURN(const bool has_last, last.next());
  if (has_last && !last.is_null_at(0) && last.time_at(0) + cooldown > sql.now) {
    return Error(ErrorCode::BudgetExceeded,
                 fmt::format("At least {} minutes must pass between two "
                             "evolutions of {}. Try again later.",
                             config.cooldown_minutes, agent.name),
                 {{"limit", "cooldown_minutes"}});
  }
  return {};
}

Result<bool> has_open_job(SkillSql& sql) {
  SkillQuery row = sql.query(
      "SELECT 1 FROM jobs WHERE state = 'queued'"
      " OR (state = 'running' AND lease_until <= ?) LIMIT 1");
  row.time(sql.now);
  return row.next();
}

Result<std::optional<Job>> take_job(SkillSql& sql, std::string_view worker,
                                    std::chrono::seconds lease) {
  std::optional<Job> job;
  {
    SkillQuery row = sql.query("SELECT " JOB_COLUMNS
                               " FROM jobs WHERE state = 'queued'"
                               " OR (state = 'running' AND lease_until <= ?)"
                               " ORDER BY attempts, created_at, id LIMIT 1");
    row.time(sql.now);
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return job;
    ASSIGN_OR_RETURN(job, job_row(row));
  }
  job->state = "running";
  ++job->attempts;
  job->updated_at = sql.now;
  RETURN_IF_ERROR(sql.query("UPDATE jobs SET state = 'running', worker = ?,"
                            " lease_until = ?, attempts = ?, updated_at = ?"
                            " WHERE id = ?")
                      .text(worker)
                      .time(sql.now + lease)
                      .integer(job->attempts)
                      .time(sql.now)
                      .id(job->id)
                      .run());
  return job;
}

Result<void> end_job(SkillSql& sql, const Job& job) {
  RETURN_IF_ERROR(sql.query("UPDATE jobs SET state = ?, message = ?,"
                            " skill_id = ?, lease_until = ?, updated_at = ?"
                            " WHERE id = ? AND state IN ('queued', 'running')")
                      .text(job.state)
                      .text_or_null(job.message)
                      .text_or_null(job.skill_id)
                      .time(Clock::WallTime{})
                      .time(sql.now)
                      .id(job.id)
                      .run());
  if (sql.changes() == 1) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("The job {} has already ended.", job.id));
}

Result<Job> find_job(SkillSql& sql, std::string_view org, std::string_view id) {
  SkillQuery row =
      sql.query("SELECT " JOB_COLUMNS " FROM jobs WHERE org_id = ? AND id = ?");
  row.text(org).id(id);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("job", id);
  return job_row(row);
}

Result<std::vector<Job>> list_jobs(SkillSql& sql, std::string_view org,
                                   std::size_t limit) {
  SkillQuery row = sql.query("SELECT " JOB_COLUMNS
                             " FROM jobs WHERE org_id = ?"
                             " ORDER BY created_at DESC, id DESC LIMIT ?");
  row.text(org).integer(static_cast<std::int64_t>(limit));
  std::vector<Job> jobs;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return jobs;
    ASSIGN_OR_RETURN(Job job, job_row(row));
    jobs.push_back(std::move(job));
  }
}

Result<void> insert_log(SkillSql& sql, std::string_view org, EvolutionLog log) {
  log.id = sql.ids.next();
  return sql
      .query(
          "INSERT INTO evolution_logs (id, org_id, agent_id, session_id,"
          " stage, status, evolved_skill_id, input_data, output_data,"
          " error_message, duration_ms, tokens_used, created_at)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .id(log.id)
      .text(org)
      .id(log.agent_id)
      .text(log.session_id)
      .text(stage_name(log.stage))
      .text(stage_status_name(log.status))
      .id_or_null(log.evolved_skill_id)
      .json_or_null(log.input_data)
      .json_or_null(log.output_data)
      .text_or_null(log.error_message)
      .integer(log.duration_ms)
      .integer(log.tokens_used)
      .time(sql.now)
      .run();
}

Result<std::vector<EvolutionLog>> list_logs(SkillSql& sql, std::string_view org,
                                            std::string_view session_id,
                                            std::size_t limit) {
  SkillQuery row = sql.query(
      "SELECT id, agent_id, session_id, stage, status, evolved_skill_id,"
      " input_data, output_data, error_message, duration_ms, tokens_used,"
      " created_at FROM evolution_logs WHERE org_id = ?"
      " AND (? = '' OR session_id = ?)"
      " ORDER BY created_at DESC, id DESC LIMIT ?");
  row.text(org)
      .text(session_id)
      .text(session_id)
      .integer(static_cast<std::int64_t>(limit));
  std::vector<EvolutionLog> logs;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return logs;
    ASSIGN_OR_RETURN(EvolutionLog log, log_row(row));
    logs.push_back(std::move(log));
  }
}

#undef JOB_COLUMNS

}  // namespace lamarck::skills::internal
