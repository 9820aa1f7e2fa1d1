// The agents of this user and the folder that their skills are stored in.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::cli {

// Opens the database that --db (`db`) names, or else skills.db in the data
// folder, and creates it if it does not exist.
Result<std::unique_ptr<skills::SkillStore>> open_agent_store(
    const std::string& db, const CommandContext& context);

// Returns the agent; creates the one of `lamarck agent run` without --agent, as
// the server does. Fails with NotFound.
Result<skills::AgentRecord> find_agent(skills::SkillStore& store,
                                       const std::string& name);

}  // namespace lamarck::cli
