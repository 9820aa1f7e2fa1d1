// Skills as text for people.

#pragma once

#include <string>
#include <vector>

#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::cli {

// One skill per line.
std::string skill_list_text(const skills::SkillPage& page);

// Steps, parameters, statistics and measured lift.
std::string skill_text(const skills::Skill& skill,
                       const skills::SkillLift& lift);

// The skills that fit, or why none does.
std::string matches_text(const skills::SkillMatches& found);

std::string stats_text(const skills::SkillStore::Stats& stats);

// The versions of a skill and when it was used.
std::string history_text(const std::vector<skills::Skill>& versions,
                         const std::vector<skills::SkillUse>& uses);

}  // namespace lamarck::cli
