// The routes of agents.

#include <array>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/server/skill_stats.h"

namespace lamarck::server {
namespace {

Result<Json> list_agents(const RouteCall& call) {
  ASSIGN_OR_RETURN(const auto agents, call.store().agents(call.org()));
  return items_json(agents);
}

Result<Json> create_agent(const RouteCall& call) {
  skills::AgentRecord agent;
  agent.org_id = call.org();
  agent.name = get_text(call.body, "name");
  RETURN_IF_ERROR(skills::check_agent_name(agent.name));
  if (agent.name == kDefaultAgent) {
    agent.evolution = default_agent_evolution();
  }
  agent.instructions = get_text(call.body, "instructions");
  agent.allowed = get_texts(call.body, "allowed");
  if (const auto found = call.body.find("evolution");
      found != call.body.end()) {
    ASSIGN_OR_RETURN(agent.evolution,
                     skills::parse_evolution_config(*found, agent.evolution));
  }
  ASSIGN_OR_RETURN(const skills::AgentRecord created,
                   call.store().create_agent(agent));
  return to_json(created);
}

Result<Json> show_agent(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   call.store().agent(call.org(), call.id()));
  return to_json(agent);
}

Result<Json> show_stats(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   call.store().agent(call.org(), call.id()));
  ASSIGN_OR_RETURN(const skills::SkillStore::Stats stats,
                   call.store().stats(call.org(), agent.id));
  return stats_json(stats);
}

Result<Json> show_evolution(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   call.store().agent(call.org(), call.id()));
  return to_json(agent.evolution);
}

Result<Json> update_evolution(const RouteCall& call) {
  ASSIGN_OR_RETURN(skills::AgentRecord agent,
                   call.store().agent(call.org(), call.id()));
  ASSIGN_OR_RETURN(agent.evolution,
                   skills::parse_evolution_config(call.body, agent.evolution));
  ASSIGN_OR_RETURN(const skills::AgentRecord updated,
                   call.store().update_agent(agent));
  return to_json(updated.evolution);
}

Result<Json> learn_from_traces(const RouteCall& call) {
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   call.store().agent(call.org(), call.id()));
  std::vector<skills::Trace> traces;
  for (const Json& item : call.body.at("traces")) {
    ASSIGN_OR_RETURN(skills::Trace trace, skills::parse_trace(item));
    traces.push_back(std::move(trace));
  }
  ASSIGN_OR_RETURN(const skills::Job job,
                   call.service.learn(call.org(), agent.id, traces));
  return to_json(job);
}

constexpr std::array kAgentRoutes = {
    Route{.method = "GET",
          .path = "/agents",
          .operation = "list_agents",
          .summary = "List the agents of the organization.",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Agent"}}}})",
          .handle = list_agents},
    Route{.method = "POST",
          .path = "/agents",
          .operation = "create_agent",
          .summary = "Create an agent.",
          .role = Role::Admin,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["name"], "properties": {
              "name": {"type": "string", "minLength": 1, "maxLength": 200},
              "instructions": {"type": "string", "maxLength": 20000},
              "allowed": {"type": "array", "maxItems": 100,
                "items": {"type": "string", "maxLength": 200}},
              "evolution": {"$ref": "#/components/schemas/Evolution"}}})",
          .response = R"({"$ref": "#/components/schemas/Agent"})",
          .status = 201,
          .handle = create_agent},
    Route{.method = "GET",
          .path = "/agents/{id}",
          .operation = "show_agent",
          .summary = "Show an agent, by id or name.",
          .response = R"({"$ref": "#/components/schemas/Agent"})",
          .handle = show_agent},
    Route{.method = "GET",
          .path = "/agents/{id}/evolution/stats",
          .operation = "show_stats",
          .summary = "Count the skills of an agent and their uses.",
          .response = R"({"$ref": "#/components/schemas/EvolutionStats"})",
          .handle = show_stats},
    Route{.method = "GET",
          .path = "/agents/{id}/evolution",
          .operation = "show_evolution",
          .summary = "Show how an agent may evolve skills.",
          .response = R"({"$ref": "#/components/schemas/Evolution"})",
          .handle = show_evolution},
    Route{.method = "PUT",
          .path = "/agents/{id}/evolution",
          .operation = "update_evolution",
          .summary = "Change how an agent may evolve skills; fields that are "
                     "left out keep their values.",
          .role = Role::Admin,
          .request = R"({"$ref": "#/components/schemas/Evolution"})",
          .response = R"({"$ref": "#/components/schemas/Evolution"})",
          .handle = update_evolution},
    Route{.method = "POST",
          .path = "/agents/{id}/learn",
          .operation = "learn_from_traces",
          .summary = "Learn a skill in the background from traces of one kind "
                     "of task.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["traces"], "properties": {"traces": {"type": "array",
              "minItems": 1, "maxItems": 50,
              "items": {"$ref": "#/components/schemas/Trace"}}}})",
          .response = R"({"$ref": "#/components/schemas/Job"})",
          .status = 202,
          .handle = learn_from_traces},
};

}  // namespace

std::span<const Route> agent_routes() { return kAgentRoutes; }

}  // namespace lamarck::server
