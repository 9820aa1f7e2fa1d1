// The SQL of agents.

#pragma once

#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/internal/skill_sql.h"

namespace lamarck::skills::internal {

Result<AgentRecord> insert_agent(SkillSql& sql, AgentRecord agent);
Result<AgentRecord> find_agent(SkillSql& sql, std::string_view org,
                               std::string_view id_or_name);
Result<std::vector<AgentRecord>> list_agents(SkillSql& sql,
                                             std::string_view org);
Result<AgentRecord> change_agent(SkillSql& sql, AgentRecord agent);

}  // namespace lamarck::skills::internal
