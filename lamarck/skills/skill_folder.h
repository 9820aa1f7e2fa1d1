// Skills as folders in the Agent Skills format: SKILL.md for agents and people,
// and files from which the skill is restored exactly.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills {

// Path inside of the folder -> bytes: SKILL.md, references/skill.json and
// evals/evals.json.
using SkillFiles = std::map<std::string, std::string>;

// "Refund order of customer" -> "refund-order-of-customer": 1 to 64 of a-z, 0-9
// and single hyphens.
std::string skill_folder_name(std::string_view name);

SkillFiles skill_files(const SkillDraft& draft);
// Fails if the files break the rules of the format or of `check_draft`. A
// folder without references/skill.json has no steps to run: Unsupported.
Result<SkillDraft> parse_skill_files(const SkillFiles& files,
                                     std::string_view folder_name);

// The rules of the format: name, description and the other fields of the front
// matter, and a body under 500 lines.
Result<void> check_skill_md(std::string_view text,
                            std::string_view folder_name);

// Writes `parent`/NAME and returns it. Fails with AlreadyExists if it exists.
Result<std::filesystem::path> write_skill_folder(
    const SkillDraft& draft, const std::filesystem::path& parent);
Result<SkillDraft> read_skill_folder(const std::filesystem::path& folder);

}  // namespace lamarck::skills
