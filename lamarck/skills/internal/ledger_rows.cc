#include "lamarck/skills/internal/ledger_rows.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::skills::internal {
namespace {

#define USE_COLUMNS                                                    \
  "id, skill_id, skill_version, agent_id, session_id, kind, outcome, " \
  "steps, tokens, message, created_at"

SkillUse use_row(const SkillQuery& row) {
  return {.id = row.text_at(0),
          .skill_id = row.text_at(1),
          .skill_version = row.integer_at(2),
          .agent_id = row.text_at(3),
          .session_id = row.text_at(4),
          .kind = row.text_at(5),
          .outcome = row.text_at(6),
          .steps = row.integer_at(7),
          .tokens = row.integer_at(8),
          .message = row.text_at(9),
          .created_at = row.time_at(10)};
}

}  // namespace

Result<SkillUse> insert_use(SkillSql& sql, std::string_view org, SkillUse use) {
  if (use.kind != "offered" && use.kind != "used") {
    return invalid_argument(fmt::format(
        "The kind of a use must be offered or used, got '{}'.", use.kind));
  }
  use.id = sql.ids.next();
  use.created_at = sql.now;
  use.outcome.clear();
  RETURN_IF_ERROR(
      sql.query("INSERT INTO skill_uses (id, org_id, skill_id, skill_version,"
                " agent_id, session_id, kind, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
          .id(use.id)
          .text(org)
          .id(use.skill_id)
          .integer(use.skill_version)
          .text(use.agent_id)
          .text(use.session_id)
          .text(use.kind)
          .time(sql.now)
          .run());
  return use;
}

Result<SkillUse> find_use(SkillSql& sql, std::string_view org,
                          std::string_view id) {
  SkillQuery row = sql.query("SELECT " USE_COLUMNS
                             " FROM skill_uses WHERE org_id = ? AND id = ?");
  row.text(org).id(id);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("use", id);
  return use_row(row);
}

Result<void> end_use(SkillSql& sql, const SkillUse& use) {
  RETURN_IF_ERROR(
      sql.query("UPDATE skill_uses SET outcome = ?, steps = ?, tokens = ?,"
                " message = ?, kind = 'used' WHERE id = ? AND outcome IS NULL")
          .text(use.outcome)
          .integer(use.steps)
          .integer(use.tokens)
          .text_or_null(use.message)
          .id(use.id)
          .run());
  if (sql.changes() == 1) return {};
  return Error(
      ErrorCode::FailedPrecondition,
      fmt::format("The outcome of the use {} is already reported.", use.id));
}

Result<std::vector<SkillUse>> list_uses(SkillSql& sql, std::string_view org,
                                        std::string_view skill_id,
                                        std::size_t limit) {
  SkillQuery row =
      sql.query("SELECT " USE_COLUMNS
                " FROM skill_uses WHERE org_id = ? AND skill_id = ?"
                " ORDER BY created_at DESC, id DESC LIMIT ?");
  row.text(org).id(skill_id).integer(static_cast<std::int64_t>(limit));
  std::vector<SkillUse> uses;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return uses;
    uses.push_back(use_row(row));
  }
}

Result<void> note_pitfall(SkillSql& sql, std::string_view skill_id,
                          std::string_view text) {
  return sql
      .query(
          "INSERT INTO skill_pitfalls (skill_id, text, count, last_seen_at)"
          " VALUES (?, ?, 1, ?) ON CONFLICT (skill_id, text) DO UPDATE SET"
          " count = skill_pitfalls.count + 1,"
          " last_seen_at = excluded.last_seen_at")
      .id(skill_id)
      .text(text)
      .time(sql.now)
      .run();
}

Result<std::vector<Pitfall>> list_pitfalls(SkillSql& sql,
                                           std::string_view skill_id) {
  SkillQuery row = sql.query(
      "SELECT text, count, last_seen_at FROM skill_pitfalls"
      " WHERE skill_id = ? ORDER BY count DESC, last_seen_at DESC, text"
      " LIMIT 20");
  row.id(skill_id);
  std::vector<Pitfall> pitfalls;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return pitfalls;
    pitfalls.push_back({.text = row.text_at(0),
                        .count = row.integer_at(1),
                        .last_seen_at = row.time_at(2)});
  }
}

Result<void> insert_task(SkillSql& sql, std::string_view org,
                         const TaskRecord& task) {
  const std::string id = task.id.empty() ? sql.ids.next() : task.id;
  return sql
      .query(
          "INSERT INTO tasks (id, org_id, agent_id, session_id, family,"
          " used_skill, success, steps, tokens, model_calls, created_at)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .id(id)
      .text(org)
      .text(task.agent_id)
      .text(task.session_id)
      .text(task.family)
      .boolean(task.used_skill)
      .boolean(task.success)
      .integer(task.steps)
      .integer(task.tokens)
      .integer(task.model_calls)
      .time(sql.now)
      .run();
}

Result<std::vector<TaskRecord>> list_tasks(SkillSql& sql, std::string_view org,
                                           std::string_view family,
                                           std::size_t limit) {
  SkillQuery row = sql.query(
      "SELECT id, agent_id, session_id, family, used_skill, success, steps,"
      " tokens, model_calls, created_at FROM tasks WHERE org_id = ?"
      " AND (? = '' OR family = ?) ORDER BY created_at DESC, id DESC LIMIT ?");
  row.text(org).text(family).text(family).integer(
      static_cast<std::int64_t>(limit));
  std::vector<TaskRecord> tasks;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return tasks;
    tasks.push_back({.id = row.text_at(0),
                     .agent_id = row.text_at(1),
                     .session_id = row.text_at(2),
                     .family = row.text_at(3),
                     .used_skill = row.boolean_at(4),
                     .success = row.boolean_at(5),
                     .steps = row.integer_at(6),
                     .tokens = row.integer_at(7),
                     .model_calls = row.integer_at(8),
                     .created_at = row.time_at(9)});
  }
}

#undef USE_COLUMNS

}  // namespace lamarck::skills::internal
