// The flag --skills and the file that it selects.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::cli {

// Adds --skills.
void add_skills_flag(CLI::App& app, std::string& file);

// Returns `flag` if it is not empty, else skills.db in the data folder.
std::string skills_file(const std::string& flag, const Settings& settings);

// The same for a server: without --skills, the file is beside the journal, or
// in memory ("") if the journal is.
std::string served_skills_file(const std::string& flag,
                               const std::string& journal_flag,
                               const Settings& settings);

// Opens the file and creates it, with its folder, if it does not exist.
Result<std::unique_ptr<skills::SkillStore>> open_skills(
    const std::string& flag, const CommandContext& context);

}  // namespace lamarck::cli
