// What the subcommands of `lamarck skills` work with.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/cli/command.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::cli {

struct SkillsFlags {
  std::string skills;
  std::string org = std::string(lamarck::skills::kLocalOrganization);
  std::string agent;
  std::string id;
  std::string status;
  std::string cursor;
  std::string comment;
  std::string task;
  std::string out;
  std::vector<std::string> files;
  std::int64_t count = 20;
  std::int64_t generations = 5;
  std::int64_t seed = 1;
  bool rejects = false;
};

struct SkillsContext {
  const SkillsFlags& flags;
  CommandContext& context;
  skills::SkillStore& store;
  skills::SkillLibrary& library;

  // The id of --agent; "" without it.
  Result<std::string> agent_id() const;
  // Prints `json` with --json, otherwise `text`.
  void print(const Json& json, const std::string& text) const;
};

// Opens the skills and runs the action with them.
using SkillsAction = Result<void> (*)(const SkillsContext& skills);
CommandAction skills_action(const std::shared_ptr<SkillsFlags>& flags,
                            SkillsAction run);

// Adds --skills and --org.
void add_skills_flags(CLI::App& app, SkillsFlags& flags);

// The subcommands, each defined in its own file.
Result<void> learn_skills(const SkillsContext& skills);
Result<void> export_skill(const SkillsContext& skills);
Result<void> import_skills(const SkillsContext& skills);
Result<void> compose_skill(const SkillsContext& skills);
Result<void> tune_skill(const SkillsContext& skills);

}  // namespace lamarck::cli
