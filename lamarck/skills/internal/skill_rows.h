// The SQL of evolved_skills, skill_versions and skills.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

using Registration = SkillStore::Registration;

// Floats as stored: little endian, 4 bytes each.

Result<Skill> find_skill(SkillSql& sql, std::string_view org,
                         std::string_view id);
Result<Skill> find_usable_skill(SkillSql& sql, std::string_view org,
                                std::string_view agent_id,
                                std::string_view name);
Result<SkillPage> list_skills(SkillSql& sql, std::string_view org,
                              const SkillFilter& filter);

// Writes the row, its version and its text index; no log, job or event.
Result<Skill> insert_skill(SkillSql& sql, const Registration& registration);
Result<Skill> replace_skill(SkillSql& sql, const Registration& registration);

// Writes status, flags, statistics and review back; not the definition. A
// change of who can find the skill changes the revision of the index.
Result<void> save_skill_state(SkillSql& sql, const Skill& before,
                              const Skill& skill);
// The decay rule for the success rate counts from here.
Result<void> restart_decay(SkillSql& sql, std::string_view id);
struct DecayCounts {
  std::int64_t uses = 0;
  std::int64_t successes = 0;
};
Result<DecayCounts> decay_counts(SkillSql& sql, std::string_view id);

Result<void> insert_promoted(SkillSql& sql, const Skill& skill,
                             std::string_view by);
Result<std::vector<Skill>> list_versions(SkillSql& sql, const Skill& skill);
Result<Skill> restore_version(SkillSql& sql, Skill skill, std::int64_t version);
Result<SkillStore::Stats> skill_stats(SkillSql& sql, std::string_view org,
                                      std::string_view agent_id);
// Usable skills of the organization that were created before `before`, never
// used and not marked yet.
Result<std::vector<Skill>> unused_skills(SkillSql& sql, std::string_view org,
                                         Clock::WallTime before);
Result<std::vector<std::string>> list_organizations(SkillSql& sql);

}  // namespace lamarck::skills::internal
