// The SQL of the vectors and the full-text index.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

// Replaces the row of the skill in the full-text index.
Result<void> index_text(SkillSql& sql, const Skill& skill);
Result<void> bump_revision(SkillSql& sql, std::string_view org);
Result<std::int64_t> read_revision(SkillSql& sql, std::string_view org);
Result<std::vector<SkillStore::StoredVector>> list_vectors(
    SkillSql& sql, std::string_view org, std::string_view agent_id,
    std::string_view embedder_id, bool usable_only);
Result<std::vector<SkillStore::TextHit>> find_text(SkillSql& sql,
                                                   std::string_view org,
                                                   std::string_view agent_id,
                                                   std::string_view words,
                                                   std::size_t limit);
Result<std::vector<std::string>> list_outdated(SkillSql& sql,
                                               std::string_view org,
                                               std::string_view embedder_id,
                                               std::size_t limit);
Result<void> update_vector(SkillSql& sql, const Skill& skill,
                           std::string_view embedder_id,
                           const std::vector<float>& embedding);

}  // namespace lamarck::skills::internal
