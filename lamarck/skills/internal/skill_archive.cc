#include "lamarck/skills/internal/skill_archive.h"

#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/skills/internal/search_rows.h"
#include "lamarck/skills/internal/skill_rows.h"

namespace lamarck::skills::internal {
namespace {

enum class Kind {
  Id,
  Text,
  Integer,
  Real,
  Boolean,
  Time,
  JsonText,
  Texts,
  Floats
};

struct Column {
  const char* name;
  Kind kind;
};

struct Table {
  const char* name;
  std::vector<Column> columns;  // The first ones are the key.
  std::string select;
  std::string insert;
};

Table make_table(const char* name, std::vector<Column> columns) {
  std::string names;
  std::string marks;
  for (const Column& column : columns) {
    names += (names.empty() ? "" : ", ") + std::string(column.name);
    marks += marks.empty() ? "?" : ", ?";
  }
  return {.name = name,
          .columns = std::move(columns),
          .select = fmt::format("SELECT {} FROM {} ORDER BY 1, 2", names, name),
          .insert = fmt::format("INSERT INTO {} ({}) VALUES ({})", name, names,
                                marks)};
}

// Every table except the full-text index, which is made of the skills.
std::span<const Table> archive_tables() {
  using enum Kind;
  static const std::vector<Table> kTables = {
      make_table("agents", {{"id", Id},
                            {"org_id", Text},
                            {"name", Text},
                            {"instructions", Text},
                            {"allowed", Texts},
                            {"config", JsonText},
                            {"created_at", Time},
                            {"updated_at", Time}}),
      make_table("evolved_skills", {{"id", Id},
                                    {"org_id", Text},
                                    {"agent_id", Id},
                                    {"session_id", Text},
                                    {"name", Text},
                                    {"description", Text},
                                    {"trigger_keywords", Texts},
                                    {"steps", JsonText},
                                    {"tools_used", Texts},
                                    {"parameters", JsonText},
                                    {"preconditions", JsonText},
                                    {"expected_outcome", Text},
                                    {"evals", JsonText},
                                    {"embedder_id", Text},
                                    {"embedding", Floats},
                                    {"quality_score", Real},
                                    {"reusability_score", Real},
                                    {"status", Text},
                                    {"version", Integer},
                                    {"is_shared", Boolean},
                                    {"is_disabled", Boolean},
                                    {"is_cleanup_candidate", Boolean},
                                    {"is_promoted", Boolean},
                                    {"use_count", Integer},
                                    {"success_count", Integer},
                                    {"consecutive_failures", Integer},
                                    {"decay_base_uses", Integer},
                                    {"decay_base_successes", Integer},
                                    {"last_used_at", Time},
                                    {"reviewed_by", Text},
                                    {"reviewed_at", Time},
                                    {"review_comment", Text},
                                    {"created_at", Time},
                                    {"updated_at", Time}}),
      make_table("skill_versions", {{"skill_id", Id},
                                    {"version", Integer},
                                    {"definition", JsonText},
                                    {"embedder_id", Text},
                                    {"embedding", Floats},
                                    {"created_at", Time}}),
      make_table("skills", {{"id", Id},
                            {"org_id", Text},
                            {"evolved_skill_id", Id},
                            {"name", Text},
                            {"description", Text},
                            {"definition", JsonText},
                            {"source_type", Text},
                            {"created_by", Text},
                            {"created_at", Time},
                            {"updated_at", Time}}),
      make_table("evolution_logs", {{"id", Id},
                                    {"org_id", Text},
                                    {"agent_id", Id},
                                    {"session_id", Text},
                                    {"stage", Text},
                                    {"status", Text},
                                    {"evolved_skill_id", Id},
                                    {"input_data", JsonText},
                                    {"output_data", JsonText},
                                    {"error_message", Text},
                                    {"duration_ms", Integer},
                                    {"tokens_used", Integer},
                                    {"created_at", Time}}),
      make_table("index_revisions", {{"org_id", Text}, {"revision", Integer}}),
      make_table("jobs", {{"id", Id},
                          {"org_id", Text},
                          {"agent_id", Text},
                          {"kind", Text},
                          {"payload", JsonText},
                          {"state", Text},
                          {"message", Text},
                          {"skill_id", Text},
                          {"attempts", Integer},
                          {"worker", Text},
                          {"lease_until", Time},
                          {"created_at", Time},
                          {"updated_at", Time}}),
      make_table("skill_uses", {{"id", Id},
                                {"org_id", Text},
                                {"skill_id", Id},
                                {"skill_version", Integer},
                                {"agent_id", Text},
                                {"session_id", Text},
                                {"kind", Text},
                                {"outcome", Text},
                                {"steps", Integer},
                                {"tokens", Integer},
                                {"message", Text},
                                {"created_at", Time}}),
      make_table("skill_pitfalls", {{"skill_id", Id},
                                    {"text", Text},
                                    {"count", Integer},
                                    {"last_seen_at", Time}}),
      make_table("tasks", {{"id", Text},
                           {"org_id", Text},
                           {"agent_id", Text},
                           {"session_id", Text},
                           {"family", Text},
                           {"used_skill", Boolean},
                           {"success", Boolean},
                           {"steps", Integer},
                           {"tokens", Integer},
                           {"model_calls", Integer},
                           {"created_at", Time}}),
      make_table("webhooks", {{"id", Id},
                              {"org_id", Text},
                              {"url", Text},
                              {"secret", Text},
                              {"events", Texts},
                              {"is_active", Boolean},
                              {"created_at", Time}}),
      make_table("outbox", {{"id", Id},
                            {"org_id", Text},
                            {"type", Text},
                            {"payload", JsonText},
                            {"created_at", Time}}),
      make_table("deliveries", {{"id", Id},
                                {"org_id", Text},
                                {"webhook_id", Id},
                                {"event_id", Id},
                                {"state", Text},
                                {"attempts", Integer},
                                {"due_at", Time},
                                {"message", Text},
                                {"created_at", Time}}),
      make_table("tokens", {{"id", Id},
                            {"org_id", Text},
                            {"role", Text},
                            {"label", Text},
                            {"token_hash", Text},
                            {"created_at", Time}})};
  return kTables;
}

Result<Json> value_at(const SkillQuery& row, int place, Kind kind) {
  if (row.is_null_at(place)) return Json();
  switch (kind) {
    case Kind::Id:
    case Kind::Text:
      return Json(row.text_at(place));
    case Kind::Integer:
      return Json(row.integer_at(place));
    case Kind::Real:
      return Json(row.real_at(place));
    case Kind::Boolean:
      return Json(row.boolean_at(place));
    case Kind::Time:
      return Json(to_micros(row.time_at(place)));
    case Kind::JsonText:
      return row.json_at(place);
    case Kind::Texts: {
      ASSIGN_OR_RETURN(const auto list, row.texts_at(place));
      return Json(list);
    }
    case Kind::Floats:
      return Json(row.floats_at(place));
  }
  return Json();
}

void bind_value(SkillQuery& query, const Json& value, Kind kind) {
  if (value.is_null()) {
    query.null();
    return;
  }
  switch (kind) {
    case Kind::Id:
      query.id(value.get_ref<const std::string&>());
      break;
    case Kind::Text:
      query.text(value.get_ref<const std::string&>());
      break;
    case Kind::Integer:
      query.integer(value.get<std::int64_t>());
      break;
    case Kind::Real:
      query.real(value.get<double>());
      break;
    case Kind::Boolean:
      query.boolean(value.get<bool>());
      break;
    case Kind::Time:
      query.time(Clock::WallTime(
          std::chrono::microseconds(value.get<std::int64_t>())));
      break;
    case Kind::JsonText:
      query.json(value);
      break;
    case Kind::Texts:
      query.texts(value.get<std::vector<std::string>>());
      break;
    case Kind::Floats:
      query.floats(value.get<std::vector<float>>());
      break;
  }
}

Result<void> insert_row(SkillSql& sql, const Table& table, const Json& record) {
  SkillQuery query = sql.query(table.insert.c_str());
  for (const Column& column : table.columns) {
    bind_value(query, record.at(column.name), column.kind);
  }
  RETURN_IF_ERROR(query.run());
  if (std::string_view(table.name) != "evolved_skills") return {};
  ASSIGN_OR_RETURN(
      const Skill skill,
      find_skill(sql, record.at("org_id").get_ref<const std::string&>(),
                 record.at("id").get_ref<const std::string&>()));
  return index_text(sql, skill);
}

}  // namespace

Result<std::uint64_t> export_rows(
    SkillSql& sql, const std::function<Result<void>(const Json&)>& write) {
  std::uint64_t count = 0;
  for (const Table& table : archive_tables()) {
    SkillQuery row = sql.query(table.select.c_str());
    for (;;) {
      ASSIGN_OR_RETURN(const bool found, row.next());
      if (!found) break;
      Json record = {{"record", table.name}};
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        ASSIGN_OR_RETURN(record[column.name],
                         value_at(row, static_cast<int>(i), column.kind));
      }
      RETURN_IF_ERROR(write(record));
      ++count;
    }
  }
  return count;
}

Result<void> import_row(SkillSql& sql, const Json& record) {
  const std::string name = record.value("record", "");
  try {
    for (const Table& table : archive_tables()) {
      if (name == table.name) return insert_row(sql, table, record);
    }
  } catch (const Json::exception& failure) {
    return Error(
        ErrorCode::DataDamaged,
        fmt::format("A record of the export is damaged: {}.", failure.what()));
  }
  return Error(ErrorCode::DataDamaged,
               fmt::format("Unknown record '{}'; the file must be one that "
                           "`lamarck db export` wrote.",
                           name));
}

Result<bool> is_empty_store(SkillSql& sql) {
  for (const Table& table : archive_tables()) {
    SkillQuery row = sql.query(table.select.c_str());
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (found) return false;
  }
  return true;
}

}  // namespace lamarck::skills::internal
