#include "lamarck/skills/internal/agent_rows.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills::internal {
namespace {

#define AGENT_COLUMNS \
  "id, org_id, name, instructions, allowed, config, created_at, updated_at"

constexpr const char* kInsertAgent =
    "INSERT INTO agents (" AGENT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kFindAgent =
    "SELECT " AGENT_COLUMNS
    " FROM agents WHERE org_id = ? AND (id = ? OR name = ?)"
    " ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END LIMIT 1";
constexpr const char* kListAgents =
    "SELECT " AGENT_COLUMNS " FROM agents WHERE org_id = ? ORDER BY name";
constexpr const char* kUpdateAgent =
    "UPDATE agents SET name = ?, instructions = ?, allowed = ?, config = ?,"
    " updated_at = ? WHERE org_id = ? AND id = ?";

Result<AgentRecord> agent_row(const SkillQuery& row) {
  AgentRecord agent;
  agent.id = row.text_at(0);
  agent.org_id = row.text_at(1);
  agent.name = row.text_at(2);
  agent.instructions = row.text_at(3);
  ASSIGN_OR_RETURN(agent.allowed, row.texts_at(4));
  ASSIGN_OR_RETURN(agent.config, row.json_at(5));
  if (const auto found = agent.config.find("evolution");
      found != agent.config.end()) {
    ASSIGN_OR_RETURN(agent.evolution, parse_evolution_config(*found, {}));
    agent.config.erase(found);
  }
  agent.created_at = row.time_at(6);
  agent.updated_at = row.time_at(7);
  return agent;
}

Json stored_config(const AgentRecord& agent) {
  Json config = agent.config.is_object() ? agent.config : Json::object();
  config["evolution"] = to_json(agent.evolution);
  return config;
}

Result<void> check_agent(const AgentRecord& agent) {
  if (agent.name.empty() || agent.name.size() > 200) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The name of an agent must have 1 to 200 bytes, "
                             "got {}.",
                             agent.name.size()),
                 {{"field", "name"}});
  }
  const auto checked = parse_evolution_config(to_json(agent.evolution), {});
  return checked ? Result<void>() : checked.error();
}

Result<void> check_name_is_free(SkillSql& sql, const AgentRecord& agent) {
  const Result<AgentRecord> other = find_agent(sql, agent.org_id, agent.name);
  if (other && other->name == agent.name && other->id != agent.id) {
    return Error(ErrorCode::AlreadyExists,
                 fmt::format("There is already an agent {}; choose another "
                             "name.",
                             in_quotes(agent.name)),
                 {{"field", "name"}});
  }
  if (!other && other.error().code() != ErrorCode::NotFound) {
    return other.error();
  }
  return {};
}

}  // namespace

Result<AgentRecord> insert_agent(SkillSql& sql, AgentRecord agent) {
  RETURN_IF_ERROR(check_agent(agent));
  if (agent.id.empty()) agent.id = sql.ids.next();
  RETURN_IF_ERROR(check_name_is_free(sql, agent));
  agent.created_at = agent.updated_at = sql.now;
  RETURN_IF_ERROR(sql.query(kInsertAgent)
                      .id(agent.id)
                      .text(agent.org_id)
                      .text(agent.name)
                      .text(agent.instructions)
                      .texts(agent.allowed)
                      .json(stored_config(agent))
                      .time(agent.created_at)
                      .time(agent.updated_at)
                      .run());
  return agent;
}

Result<AgentRecord> find_agent(SkillSql& sql, std::string_view org,
                               std::string_view id_or_name) {
  SkillQuery row = sql.query(kFindAgent);
  row.text(org).id(id_or_name).text(id_or_name).id(id_or_name);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return missing("agent", id_or_name);
  return agent_row(row);
}

Result<std::vector<AgentRecord>> list_agents(SkillSql& sql,
                                             std::string_view org) {
  SkillQuery row = sql.query(kListAgents);
  row.text(org);
  std::vector<AgentRecord> agents;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return agents;
    ASSIGN_OR_RETURN(AgentRecord agent, agent_row(row));
    agents.push_back(std::move(agent));
  }
}

Result<AgentRecord> change_agent(SkillSql& sql, AgentRecord agent) {
  RETURN_IF_ERROR(check_agent(agent));
  RETURN_IF_ERROR(check_name_is_free(sql, agent));
  agent.updated_at = sql.now;
  RETURN_IF_ERROR(sql.query(kUpdateAgent)
                      .text(agent.name)
                      .text(agent.instructions)
                      .texts(agent.allowed)
                      .json(stored_config(agent))
                      .time(agent.updated_at)
                      .text(agent.org_id)
                      .id(agent.id)
                      .run());
  if (sql.changes() == 0) return missing("agent", agent.id);
  return find_agent(sql, agent.org_id, agent.id);
}

#undef AGENT_COLUMNS

}  // namespace lamarck::skills::internal
