// Values for the parameters of a skill that stand in the text of a task.

#pragma once

#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills::internal {

// Looks at where the value stood in the request that the skill was learned
// from: after which word and before which. Parameters without a find are left
// out.
Json suggest_arguments(const SkillDraft& draft, std::string_view task);

}  // namespace lamarck::skills::internal
