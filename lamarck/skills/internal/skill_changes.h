// Changes of a skill that involve several tables: the row, its log, its job and
// its event. Each runs inside one transaction.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

Result<Skill> register_in(SkillSql& sql,
                          const SkillStore::Registration& registration);
Result<Skill> review_in(SkillSql& sql, std::string_view org,
                        std::string_view id, bool approves,
                        std::string_view reviewer, std::string_view comment);
Result<Skill> deprecate_in(SkillSql& sql, std::string_view org,
                           std::string_view id, std::string_view reason);
Result<Skill> promote_in(SkillSql& sql, std::string_view org,
                         std::string_view id, std::string_view by);
Result<Skill> share_in(SkillSql& sql, std::string_view org, std::string_view id,
                       bool is_shared);
Result<Skill> report_in(SkillSql& sql, std::string_view org,
                        const SkillUse& use);
Result<std::size_t> mark_unused_in(SkillSql& sql, std::string_view org);

}  // namespace lamarck::skills::internal
