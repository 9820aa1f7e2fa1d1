// The SQL of skill_uses, skill_pitfalls and tasks.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

Result<SkillUse> insert_use(SkillSql& sql, std::string_view org, SkillUse use);
Result<SkillUse> find_use(SkillSql& sql, std::string_view org,
                          std::string_view id);
// Fails with FailedPrecondition if the use has an outcome.
Result<void> end_use(SkillSql& sql, const SkillUse& use);
Result<std::vector<SkillUse>> list_uses(SkillSql& sql, std::string_view org,
                                        std::string_view skill_id,
                                        std::size_t limit);
Result<void> note_pitfall(SkillSql& sql, std::string_view skill_id,
                          std::string_view text);
Result<std::vector<Pitfall>> list_pitfalls(SkillSql& sql,
                                           std::string_view skill_id);
Result<void> insert_task(SkillSql& sql, std::string_view org,
                         const TaskRecord& task);
Result<std::vector<TaskRecord>> list_tasks(SkillSql& sql, std::string_view org,
                                           std::string_view family,
                                           std::size_t limit);

}  // namespace lamarck::skills::internal
