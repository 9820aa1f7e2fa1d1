#include "lamarck/skills/internal/search_rows.h"

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/skill_rows.h"

namespace lamarck::skills::internal {
namespace {

#define VISIBLE "(? = '' OR s.agent_id = ? OR s.is_shared)"
#define USABLE \
  "(NOT s.is_disabled AND s.status IN ('approved', 'auto_approved'))"

// The words, each in `quote`s, so that no character of the text is an operator
// of the query language.
std::string match_expression(std::string_view words, char quote,
                             std::string_view any_of) {
  std::string expression;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    if (!expression.empty()) expression += any_of;
    expression += quote + word + quote;
    word.clear();
  };
  for (const char c : words.substr(0, 4'000)) {
    const bool is_letter =
        ascii::is_word(c) || static_cast<unsigned char>(c) >= 0x80;
    if (is_letter) {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return expression;
}

// The full-text indexes of both databases. The name counts more than the
// keywords, and these more than the description.
struct TextIndex {
  const char* insert;
  const char* find;  // Greater scores are better.
  char quote;
  std::string_view any_of;
};
constexpr TextIndex kFts5 = {
    .insert =
        "INSERT INTO skill_text (skill_id, name, description, keywords)"
        " VALUES (?, ?, ?, ?)",
    .find =
        "SELECT t.skill_id, -bm25(skill_text, 0.0, 3.0, 1.0, 2.0) AS score"
        " FROM skill_text t JOIN evolved_skills s ON s.id = t.skill_id"
        " WHERE skill_text MATCH ? AND s.org_id = ? AND " VISIBLE " AND " USABLE
        " ORDER BY score DESC, t.skill_id LIMIT ?",
    .quote = '"',
    .any_of = " OR "};
constexpr TextIndex kTsvector = {
    .insert =
        "INSERT INTO skill_text (skill_id, document) VALUES (?,"
        " setweight(to_tsvector('pg_catalog.english', ?), 'A') ||"
        " setweight(to_tsvector('pg_catalog.english', ?), 'D') ||"
        " setweight(to_tsvector('pg_catalog.english', ?), 'B'))",
    .find =
        "SELECT t.skill_id,"
        " CAST(ts_rank('{0.33, 0.33, 0.67, 1}', t.document, q.words)"
        " AS DOUBLE PRECISION) AS score"
        " FROM (SELECT to_tsquery('pg_catalog.english', ?) AS words) q,"
        " skill_text t JOIN evolved_skills s ON s.id = t.skill_id"
        " WHERE t.document @@ q.words AND s.org_id = ? AND " VISIBLE
        " AND " USABLE " ORDER BY score DESC, t.skill_id LIMIT ?",
    .quote = '\'',
    .any_of = " | "};

const TextIndex& text_index(const SkillSql& sql) {
  return sql.database.is_postgres() ? kTsvector : kFts5;
}

}  // namespace

Result<void> index_text(SkillSql& sql, const Skill& skill) {
  const std::string keywords =
      join_text(skill.definition.trigger_keywords, " ");
  RETURN_IF_ERROR(sql.query("DELETE FROM skill_text WHERE skill_id = ?")
                      .id(skill.id)
                      .run());
  return sql.query(text_index(sql).insert)
      .id(skill.id)
      .text(skill.definition.name)
      .text(skill.definition.description)
      .text(keywords)
      .run();
}

Result<void> bump_revision(SkillSql& sql, std::string_view org) {
  return sql
      .query(
          "INSERT INTO index_revisions (org_id, revision) VALUES (?, 1)"
          " ON CONFLICT (org_id) DO UPDATE SET"
          " revision = index_revisions.revision + 1")
      .text(org)
      .run();
}

Result<std::int64_t> read_revision(SkillSql& sql, std::string_view org) {
  SkillQuery row =
      sql.query("SELECT revision FROM index_revisions WHERE org_id = ?");
  row.text(org);
  ASSIGN_OR_RETURN(const bool found, row.next());
  return found ? row.integer_at(0) : 0;
}

Result<std::vector<SkillStore::StoredVector>> list_vectors(
    SkillSql& sql, std::string_view org, std::string_view agent_id,
    std::string_view embedder_id, bool usable_only) {
  SkillQuery row = sql.query(
      "SELECT s.id, s.embedding FROM evolved_skills s WHERE s.org_id = ?"
      " AND s.embedder_id = ? AND " VISIBLE " AND (NOT ? OR " USABLE
      ")"
      " ORDER BY s.id");
  row.text(org)
      .text(embedder_id)
      .text(agent_id)
      .id(agent_id)
      .boolean(usable_only);
  std::vector<SkillStore::StoredVector> vectors;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return vectors;
    vectors.push_back(
        {.skill_id = row.text_at(0), .embedding = row.floats_at(1)});
  }
}

Result<std::vector<SkillStore::TextHit>> find_text(SkillSql& sql,
                                                   std::string_view org,
                                                   std::string_view agent_id,
                                                   std::string_view words,
                                                   std::size_t limit) {
  const TextIndex& index = text_index(sql);
  const std::string expression =
      match_expression(words, index.quote, index.any_of);
  std::vector<SkillStore::TextHit> hits;
  if (expression.empty()) return hits;
  SkillQuery row = sql.query(index.find);
  row.text(expression)
      .text(org)
      .text(agent_id)
      .id(agent_id)
      .integer(static_cast<std::int64_t>(limit));
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return hits;
    hits.push_back({.skill_id = row.text_at(0), .score = row.real_at(1)});
  }
}

Result<std::vector<std::string>> list_outdated(SkillSql& sql,
                                               std::string_view org,
                                               std::string_view embedder_id,
                                               std::size_t limit) {
  SkillQuery row = sql.query(
      "SELECT id FROM evolved_skills WHERE org_id = ? AND embedder_id <> ?"
      " ORDER BY id LIMIT ?");
  row.text(org).text(embedder_id).integer(static_cast<std::int64_t>(limit));
  std::vector<std::string> ids;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return ids;
    ids.push_back(row.text_at(0));
  }
}

Result<void> update_vector(SkillSql& sql, const Skill& skill,
                           std::string_view embedder_id,
                           const std::vector<float>& embedding) {
  RETURN_IF_ERROR(sql.query("UPDATE evolved_skills SET embedder_id = ?,"
                            " embedding = ? WHERE id = ?")
                      .text(embedder_id)
                      .floats(embedding)
                      .id(skill.id)
                      .run());
  RETURN_IF_ERROR(sql.query("UPDATE skill_versions SET embedder_id = ?,"
                            " embedding = ? WHERE skill_id = ? AND version = ?")
                      .text(embedder_id)
                      .floats(embedding)
                      .id(skill.id)
                      .integer(skill.version)
                      .run());
  return bump_revision(sql, skill.org_id);
}

#undef VISIBLE
#undef USABLE

}  // namespace lamarck::skills::internal
