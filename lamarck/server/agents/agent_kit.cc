#include "lamarck/server/agents/agent_kit.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/agent/delegate_tool.h"
#include "lamarck/agent/model_planner.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/macros.h"
#include "lamarck/runs/run_agent_tools.h"
#include "lamarck/runs/run_process.h"

namespace lamarck::server {

Result<skills::AgentRecord> find_server_agent(const AgentServices& services,
                                              const std::string& name) {
  skills::SkillStore& store = services.skills.store();
  if (name == kDefaultAgent) return ensure_agent(store, services.org, name);
  return store.agent(services.org, name);
}

agent::AgentRunner make_recorder(const AgentServices& services) {
  static const agent::ToolRegistry kNoTools;
  const runs::ProcessIdentity process = runs::this_process();
  agent::AgentRunnerOptions options;
  options.process = {
      {"pid", process.pid}, {"start", process.start}, {"host", process.host}};
  return {std::move(options), kNoTools, services.thoughts.journal(),
          services.clock, Rng(entropy_seed())};
}

Result<std::unique_ptr<AgentKit>> AgentKit::open(
    const AgentServiceOptions& options, const AgentServices& services,
    const std::string& agent, const std::string& workspace) {
  std::unique_ptr<AgentKit> kit(new AgentKit(options, services));
  ASSIGN_OR_RETURN(kit->agent_, find_server_agent(services, agent));
  ASSIGN_OR_RETURN(kit->workspace_, agent::Workspace::open(workspace));
  RETURN_IF_ERROR(kit->add_tools());
  return kit;
}

Result<void> AgentKit::add_tools() {
  RETURN_IF_ERROR(agent::add_builtin_tools(
      tools_, {.workspace = workspace_,
               .http = {.allowed_hosts = options_.allowed_hosts}}));
  RETURN_IF_ERROR(
      runs::add_run_agent_tools(tools_, {.program = options_.program,
                                         .journal = options_.journal,
                                         .data_folder = options_.data_folder,
                                         .workspace = workspace_}));
  ASSIGN_OR_RETURN(auto others, services_.skills.store().agents(services_.org));
  std::erase_if(others, [&](const skills::AgentRecord& other) {
    return other.name == agent_.name;
  });
  return agent::add_delegate_tool(tools_, others);
}

std::shared_ptr<agent::Planner> AgentKit::make_planner(
    const skills::AgentRecord& record) {
  if (options_.model == nullptr) return nullptr;
  return std::make_shared<agent::ModelPlanner>(
      agent::ModelPlannerOptions{.agent = record,
                                 .max_tokens = options_.max_tokens,
                                 .temperature = options_.temperature},
      *options_.model, tools_, &services_.skills.library(),
      &services_.thoughts.engine());
}

agent::AgentRunnerOptions AgentKit::runner_options() {
  const runs::ProcessIdentity process = runs::this_process();
  agent::AgentRunnerOptions options;
  options.agent = agent_;
  options.workspace = workspace_->folder().string();
  options.ask = [](const skills::ToolInfo&, const Json&) {
    return agent::Approval::Later;
  };
  options.planner = make_planner(agent_);
  options.library = &services_.skills.library();
  options.find_delegate =
      [this](const std::string& name) -> Result<agent::DelegateAgent> {
    ASSIGN_OR_RETURN(const auto other, find_server_agent(services_, name));
    return agent::DelegateAgent{.agent = other, .planner = make_planner(other)};
  };
  options.starter = "server";
  options.process = {
      {"pid", process.pid}, {"start", process.start}, {"host", process.host}};
  return options;
}

agent::AgentRunner AgentKit::make_runner(agent::AgentRunnerOptions options) {
  return {std::move(options), tools_, services_.thoughts.journal(),
          services_.clock, Rng(entropy_seed())};
}

}  // namespace lamarck::server
