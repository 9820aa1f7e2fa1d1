// Skills that call skills: a step with the tool "skill:NAME".

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills {

// Skills may call skills that call skills, and so on.
inline constexpr std::size_t kMaxSkillDepth = 8;

using FindSkill =
    std::function<std::optional<SkillDraft>(std::string_view name)>;

// The NAME of "skill:NAME"; nullopt for another tool.
std::optional<std::string_view> called_skill(const SkillStep& step);

// Fails if a called skill does not exist, a cycle would call itself, or the
// nesting is deeper than kMaxSkillDepth.
Result<void> check_composition(const SkillDraft& draft, const FindSkill& find);

// A skill that runs `parts` in order. Parameters of the same name and schema
// are one parameter; others with the same name get a number.
// REQUIRES: at least two parts.
SkillDraft compose_skills(const std::string& name,
                          const std::string& description,
                          const std::vector<SkillDraft>& parts);

}  // namespace lamarck::skills
