#include "lamarck/skills/internal/skill_rows.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/skills/internal/search_rows.h"

namespace lamarck::skills::internal {
namespace {

#define SKILL_COLUMNS                                                          \
  "id, org_id, agent_id, session_id, name, description, trigger_keywords, "    \
  "steps, tools_used, parameters, preconditions, expected_outcome, evals, "    \
  "quality_score, reusability_score, status, version, is_shared, "             \
  "is_disabled, is_cleanup_candidate, is_promoted, use_count, success_count, " \
  "consecutive_failures, last_used_at, reviewed_by, reviewed_at, "             \
  "review_comment, created_at, updated_at"

constexpr const char* kFindSkill =
    "SELECT " SKILL_COLUMNS " FROM evolved_skills WHERE org_id = ? AND id = ?";
// The optional filters are tests of a parameter against '', so that one
// statement serves all; the newest come first.
constexpr const char* kListSkills =
    "SELECT " SKILL_COLUMNS
    " FROM evolved_skills WHERE org_id = ?"
    " AND (? = '' OR agent_id = ?)"
    " AND (created_at < ? OR (created_at = ? AND id < ?))"
    " ORDER BY created_at DESC, id DESC LIMIT ?";
constexpr const char* kListSkillsOfStatus =
    "SELECT " SKILL_COLUMNS
    " FROM evolved_skills WHERE org_id = ? AND status = ?"
    " AND (? = '' OR agent_id = ?)"
    " AND (created_at < ? OR (created_at = ? AND id < ?))"
    " ORDER BY created_at DESC, id DESC LIMIT ?";
constexpr const char* kInsertSkill =
    "INSERT INTO evolved_skills (id, org_id, agent_id, session_id, name,"
    " description, trigger_keywords, steps, tools_used, parameters,"
    " preconditions, expected_outcome, evals, quality_score,"
    " reusability_score, status, version, is_shared, embedder_id, embedding,"
    " created_at, updated_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?)";
constexpr const char* kUpdateDefinition =
    "UPDATE evolved_skills SET name = ?, description = ?, trigger_keywords = ?,"
    " steps = ?, tools_used = ?, parameters = ?, preconditions = ?,"
    " expected_outcome = ?, evals = ?, quality_score = ?,"
    " reusability_score = ?, status = ?, version = ?, embedder_id = ?,"
    " embedding = ?, updated_at = ? WHERE id = ?";
constexpr const char* kUpdateState =
    "UPDATE evolved_skills SET status = ?, is_shared = ?, is_disabled = ?,"
    " is_cleanup_candidate = ?, is_promoted = ?, use_count = ?,"
    " success_count = ?, consecutive_failures = ?, last_used_at = ?,"
    " reviewed_by = ?, reviewed_at = ?, review_comment = ?, updated_at = ?"
    " WHERE id = ?";
constexpr const char* kInsertVersion =
    "INSERT INTO skill_versions (skill_id, version, definition, embedder_id,"
    " embedding, created_at) VALUES (?, ?, ?, ?, ?, ?)";

Result<SkillDraft> definition_row(const SkillQuery& row) {
  ASSIGN_OR_RETURN(const std::vector<std::string> keywords, row.texts_at(6));
  ASSIGN_OR_RETURN(const Json steps, row.json_at(7));
  ASSIGN_OR_RETURN(const std::vector<std::string> tools, row.texts_at(8));
  ASSIGN_OR_RETURN(const Json parameters, row.json_at(9));
  ASSIGN_OR_RETURN(const Json preconditions, row.json_at(10));
  ASSIGN_OR_RETURN(const Json evals, row.json_at(12));
  return parse_skill_draft({{"name", row.text_at(4)},
                            {"description", row.text_at(5)},
                            {"trigger_keywords", keywords},
                            {"steps", steps},
                            {"tools_used", tools},
                            {"parameters", parameters},
                            {"preconditions", preconditions},
                            {"expected_outcome", row.text_at(11)},
                            {"evals", evals},
                            {"quality_score", row.real_at(13)},
                            {"reusability_score", row.real_at(14)}});
}

Result<Skill> skill_row(const SkillQuery& row) {
  Skill skill;
  skill.id = row.text_at(0);
  skill.org_id = row.text_at(1);
  skill.agent_id = row.text_at(2);
  skill.session_id = row.text_at(3);
  ASSIGN_OR_RETURN(skill.definition, definition_row(row));
  ASSIGN_OR_RETURN(skill.status, parse_skill_status(row.text_at(15)));
  skill.version = row.integer_at(16);
  skill.is_shared = row.boolean_at(17);
  skill.is_disabled = row.boolean_at(18);
  skill.is_cleanup_candidate = row.boolean_at(19);
  skill.is_promoted = row.boolean_at(20);
  skill.use_count = row.integer_at(21);
  skill.success_count = row.integer_at(22);
  skill.consecutive_failures = row.integer_at(23);
  skill.last_used_at = row.maybe_time_at(24);
  skill.reviewed_by = row.text_at(25);
  skill.reviewed_at = row.maybe_time_at(26);
  skill.review_comment = row.text_at(27);
  skill.created_at = row.time_at(28);
  skill.updated_at = row.time_at(29);
  return skill;
}

Result<std::vector<Skill>> skill_list(SkillQuery& row) {
  std::vector<Skill> skills;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return skills;
    ASSIGN_OR_RETURN(Skill skill, skill_row(row));
    skills.push_back(std::move(skill));
  }
}

SkillQuery& bind_definition(SkillQuery& query, const SkillDraft& draft,
                            const Json& json) {
  return query.text(draft.name)
      .text(draft.description)
      .texts(draft.trigger_keywords)
      .json(json.at("steps"))
      .texts(draft.tools_used)
      .json(json.at("parameters"))
      .json(json.at("preconditions"))
      .text_or_null(draft.expected_outcome)
      .json(json.at("evals"))
      .real(draft.quality_score)
      .real(draft.reusability_score);
}

Result<void> insert_version(SkillSql& sql, const Skill& skill,
                            const Json& definition,
                            std::string_view embedder_id,
                            const std::vector<float>& embedding) {
  return sql.query(kInsertVersion)
      .id(skill.id)
      .integer(skill.version)
      .json(definition)
      .text(embedder_id)
      .floats(embedding)
      .time(sql.now)
      .run();
}

Result<void> update_definition(SkillSql& sql, const Skill& skill,
                               std::string_view embedder_id,
                               const std::vector<float>& embedding) {
  const Json definition = to_json(skill.definition);
  SkillQuery query = sql.query(kUpdateDefinition);
  bind_definition(query, skill.definition, definition)
      .text(skill_status_name(skill.status))
      .integer(skill.version)
      .text(embedder_id)
      .floats(embedding)
      .time(sql.now)
      .id(skill.id);
  RETURN_IF_ERROR(query.run());
  RETURN_IF_ERROR(
      insert_version(sql, skill, definition, embedder_id, embedding));
  RETURN_IF_ERROR(index_text(sql, skill));
  return bump_revision(sql, skill.org_id);
}

}  // namespace

Result<Skill> find_skill(SkillSql& sql, std::string_view org,
                         std::string_view id) {
  SkillQuery row = sql.query(kFindSkill);
  row.text(org).id(id);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("skill", id);
  return skill_row(row);
}

Result<Skill> find_usable_skill(SkillSql& sql, std::string_view org,
                                std::string_view agent_id,
                                std::string_view name) {
  SkillQuery row =
      sql.query("SELECT " SKILL_COLUMNS
                " FROM evolved_skills WHERE org_id = ? AND name = ?"
                " AND status IN ('approved', 'auto_approved')"
                " AND NOT is_disabled AND (agent_id = ? OR is_shared)"
                " ORDER BY created_at DESC, id DESC LIMIT 1");
  row.text(org).text(name).id(agent_id);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("usable skill", name);
  return skill_row(row);
}

Result<SkillPage> list_skills(SkillSql& sql, std::string_view org,
                              const SkillFilter& filter) {
  if (filter.limit < 1 || filter.limit > 100) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("limit must be between 1 and 100, got {}.", filter.limit),
        {{"field", "limit"}});
  }
  PageCursor after{.created_at = INT64_MAX, .id = "~"};
  if (!filter.cursor.empty()) {
    ASSIGN_OR_RETURN(after, decode_cursor(filter.cursor));
  }
  SkillQuery row = sql.query(filter.status ? kListSkillsOfStatus : kListSkills);
  row.text(org);
  if (filter.status) row.text(skill_status_name(*filter.status));
  const Clock::WallTime before{std::chrono::microseconds(after.created_at)};
  row.text(filter.agent_id)
      .id(filter.agent_id)
      .time(before)
      .time(before)
      .id(after.id)
      .integer(static_cast<std::int64_t>(filter.limit) + 1);
  SkillPage page;
  ASSIGN_OR_RETURN(page.skills, skill_list(row));
  if (page.skills.size() > filter.limit) {
    page.skills.pop_back();
    const Skill& last = page.skills.back();
    page.next_cursor = encode_cursor(
        {.created_at = to_micros(last.created_at), .id = last.id});
  }
  return page;
}

Result<Skill> insert_skill(SkillSql& sql, const Registration& registration) {
  Skill skill = registration.skill;
  if (skill.id.empty()) skill.id = sql.ids.next();
  skill.version = 1;
  skill.created_at = skill.updated_at = sql.now;
  const Json definition = to_json(skill.definition);
  const std::vector<float>& embedding = registration.embedding;
  SkillQuery query = sql.query(kInsertSkill);
  query.id(skill.id)
      .text(skill.org_id)
      .id(skill.agent_id)
      .text(skill.session_id);
  bind_definition(query, skill.definition, definition)
      .text(skill_status_name(skill.status))
      .integer(skill.version)
      .boolean(skill.is_shared)
      .text(registration.embedder_id)
      .floats(embedding)
      .time(sql.now)
      .time(sql.now);
  RETURN_IF_ERROR(query.run());
  RETURN_IF_ERROR(insert_version(sql, skill, definition,
                                 registration.embedder_id, embedding));
  RETURN_IF_ERROR(index_text(sql, skill));
  RETURN_IF_ERROR(bump_revision(sql, skill.org_id));
  return skill;
}

Result<Skill> replace_skill(SkillSql& sql, const Registration& registration) {
  const Skill& given = registration.skill;
  ASSIGN_OR_RETURN(Skill skill,
                   find_skill(sql, given.org_id, registration.replaces));
  skill.definition = given.definition;
  skill.status = given.status;
  ++skill.version;
  RETURN_IF_ERROR(update_definition(sql, skill, registration.embedder_id,
                                    registration.embedding));
  return find_skill(sql, skill.org_id, skill.id);
}

Result<void> save_skill_state(SkillSql& sql, const Skill& before,
                              const Skill& skill) {
  SkillQuery query = sql.query(kUpdateState);
  query.text(skill_status_name(skill.status))
      .boolean(skill.is_shared)
      .boolean(skill.is_disabled)
      .boolean(skill.is_cleanup_candidate)
      .boolean(skill.is_promoted)
      .integer(skill.use_count)
      .integer(skill.success_count)
      .integer(skill.consecutive_failures);
  query.time(skill.last_used_at)
      .text_or_null(skill.reviewed_by)
      .time(skill.reviewed_at)
      .text_or_null(skill.review_comment)
      .time(sql.now)
      .id(skill.id);
  RETURN_IF_ERROR(query.run());
  const bool is_indexed_alike = before.is_usable() == skill.is_usable() &&
                                before.is_shared == skill.is_shared;
  return is_indexed_alike ? Result<void>() : bump_revision(sql, skill.org_id);
}

Result<std::vector<Skill>> list_versions(SkillSql& sql, const Skill& skill) {
  SkillQuery row = sql.query(
      "SELECT version, definition, created_at FROM skill_versions"
      " WHERE skill_id = ? ORDER BY version");
  row.id(skill.id);
  std::vector<Skill> versions;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return versions;
    Skill version = skill;
    version.version = row.integer_at(0);
    ASSIGN_OR_RETURN(const Json definition, row.json_at(1));
    ASSIGN_OR_RETURN(version.definition, parse_skill_draft(definition));
    version.updated_at = row.time_at(2);
    versions.push_back(std::move(version));
  }
}

Result<Skill> restore_version(SkillSql& sql, Skill skill,
                              std::int64_t version) {
  std::string embedder_id;
  std::vector<float> embedding;
  {
    SkillQuery row = sql.query(
        "SELECT definition, embedder_id, embedding FROM skill_versions"
        " WHERE skill_id = ? AND version = ?");
    row.id(skill.id).integer(version);
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return missing("version", std::to_string(version));
    ASSIGN_OR_RETURN(const Json definition, row.json_at(0));
    ASSIGN_OR_RETURN(skill.definition, parse_skill_draft(definition));
    embedder_id = row.text_at(1);
    embedding = row.floats_at(2);
  }
  ++skill.version;
  RETURN_IF_ERROR(update_definition(sql, skill, embedder_id, embedding));
  return find_skill(sql, skill.org_id, skill.id);
}

Result<std::vector<Skill>> unused_skills(SkillSql& sql, std::string_view org,
                                         Clock::WallTime before) {
  SkillQuery row = sql.query(
      "SELECT " SKILL_COLUMNS
      " FROM evolved_skills WHERE org_id = ? AND use_count = 0"
      " AND NOT is_cleanup_candidate AND created_at < ?"
      " AND (reviewed_at IS NULL OR reviewed_at < ?)"
      " AND status IN ('pending_review', 'approved', 'auto_approved')");
  row.text(org).time(before).time(before);
  return skill_list(row);
}

namespace {

Result<std::vector<Skill>> top_skills(SkillSql& sql, std::string_view org,
                                      std::string_view agent_id) {
  SkillQuery row =
      sql.query("SELECT " SKILL_COLUMNS
                " FROM evolved_skills WHERE org_id = ? AND agent_id = ?"
                " AND use_count > 0 ORDER BY use_count DESC, id LIMIT 5");
  row.text(org).id(agent_id);
  return skill_list(row);
}

}  // namespace

Result<SkillStore::Stats> skill_stats(SkillSql& sql, std::string_view org,
                                      std::string_view agent_id) {
  SkillStore::Stats stats;
  double quality = 0;
  {
    SkillQuery row = sql.query(
        "SELECT status, COUNT(*), CAST(SUM(use_count) AS BIGINT), "
        "SUM(quality_score)"
        " FROM evolved_skills WHERE org_id = ? AND agent_id = ?"
        " GROUP BY status");
    row.text(org).id(agent_id);
    for (;;) {
      ASSIGN_OR_RETURN(const bool found, row.next());
      if (!found) break;
      ASSIGN_OR_RETURN(const SkillStatus status,
                       parse_skill_status(row.text_at(0)));
      const std::int64_t count = row.integer_at(1);
      stats.total_evolved += count;
      stats.total_reuse_count += row.integer_at(2);
      quality += row.real_at(3);
      switch (status) {
        case SkillStatus::Approved:
        case SkillStatus::AutoApproved:
          stats.approved_count += count;
          break;
        case SkillStatus::Rejected:
          stats.rejected_count += count;
          break;
        case SkillStatus::PendingReview:
          stats.pending_count += count;
          break;
        case SkillStatus::Deprecated:
          break;
      }
    }
  }
  const std::int64_t judged = stats.approved_count + stats.rejected_count;
  if (judged > 0) {
    stats.approval_rate =
        static_cast<double>(stats.approved_count) / static_cast<double>(judged);
  }
  if (stats.total_evolved > 0) {
    stats.avg_quality_score =
        quality / static_cast<double>(stats.total_evolved);
  }
  ASSIGN_OR_RETURN(stats.top_skills, top_skills(sql, org, agent_id));
  return stats;
}

Result<void> restart_decay(SkillSql& sql, std::string_view id) {
  return sql
      .query(
          "UPDATE evolved_skills SET decay_base_uses = use_count,"
          " decay_base_successes = success_count WHERE id = ?")
      .id(id)
      .run();
}

Result<DecayCounts> decay_counts(SkillSql& sql, std::string_view id) {
  SkillQuery row = sql.query(
      "SELECT use_count - decay_base_uses, success_count -"
      " decay_base_successes FROM evolved_skills WHERE id = ?");
  row.id(id);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("skill", id);
  return DecayCounts{.uses = row.integer_at(0), .successes = row.integer_at(1)};
}

Result<void> insert_promoted(SkillSql& sql, const Skill& skill,
                             std::string_view by) {
  const std::string id = sql.ids.next();
  return sql
      .query(
          "INSERT INTO skills (id, org_id, evolved_skill_id, name,"
          " description, definition, source_type, created_by, created_at,"
          " updated_at) VALUES (?, ?, ?, ?, ?, ?, 'evolved', ?, ?, ?)")
      .id(id)
      .text(skill.org_id)
      .id(skill.id)
      .text(skill.definition.name)
      .text(skill.definition.description)
      .json(to_json(skill.definition))
      .text_or_null(by)
      .time(sql.now)
      .time(sql.now)
      .run();
}

Result<std::vector<std::string>> list_organizations(SkillSql& sql) {
  SkillQuery row = sql.query(
      "SELECT org_id FROM agents UNION SELECT org_id FROM evolved_skills"
      " ORDER BY org_id");
  std::vector<std::string> organizations;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return organizations;
    organizations.push_back(row.text_at(0));
  }
}

#undef SKILL_COLUMNS

}  // namespace lamarck::skills::internal
