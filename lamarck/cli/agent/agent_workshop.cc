#include "lamarck/cli/agent/agent_workshop.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/agent/delegate_tool.h"
#include "lamarck/agent/mcp_client.h"
#include "lamarck/agent/model_planner.h"
#include "lamarck/agent/routing_planner.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/agent/agent_store.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/search_limits.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_agent_tools.h"
#include "lamarck/store/journal_place.h"

namespace lamarck::cli {

void add_agent_work_flags(CLI::App& app, AgentWorkFlags& flags) {
  add_option(app, "--agent", &flags.agent, "Which agent (default: default)",
             {.type = "NAME"});
  add_option(app, "--workspace", &flags.workspace,
             "Folder whose files the agent may use (default: this one)",
             {.type = "DIR"});
  add_switch(app, "--yes", flags.says_yes,
             "Allow dangerous calls without asking");
  add_option(app, "--steps", &flags.steps, "Maximum number of tool calls",
             {.type = "N", .range = {{1, 100'000}}});
  add_option(app, "--budget", &flags.budget,
             "Limits of time, tokens and money: 120s, 200ktok, 5usd",
             {.type = "LIMIT", .is_repeatable = true});
  add_option(app, "--allow-host", &flags.allowed_hosts,
             "Host that the HTTP tools may call: api.example.com, "
             "*.example.com, localhost:8080",
             {.type = "HOST", .is_repeatable = true});
  add_switch(app, "--allow-private", flags.allows_private,
             "Let the HTTP tools reach this machine and internal networks");
  add_option(app, "--mcp", &flags.mcp_servers,
             "MCP server whose tools the agent may use as NAME.TOOL: a command "
             "or a URL, whose token is in LAMARCK_MCP_NAME_TOKEN",
             {.type = "NAME=SERVER", .is_repeatable = true});
  add_switch(app, "--json-protocol", flags.uses_json_protocol,
             "For models without tool calling");
  add_switch(app, "--small-model", flags.has_small_model,
             "For models that only choose a function, such as needle: skills "
             "first, then one tool call after the other");
  add_switch(app, "--no-python", flags.has_no_python, "Offer no Python tool");
  add_journal_flag(app, flags.db);
}

Result<std::unique_ptr<AgentWorkshop>> AgentWorkshop::open(
    const AgentWorkFlags& flags, CommandContext& context,
    agent::AskApproval ask) {
  std::unique_ptr<AgentWorkshop> shop(new AgentWorkshop(context));
  shop->uses_json_protocol_ = flags.uses_json_protocol;
  shop->has_small_model_ = flags.has_small_model;
  ASSIGN_OR_RETURN(shop->store_, open_agent_store(flags.db, context));
  ASSIGN_OR_RETURN(const auto record, find_agent(*shop->store_, flags.agent));
  ASSIGN_OR_RETURN(shop->workspace_, agent::Workspace::open(flags.workspace));
  RETURN_IF_ERROR(shop->add_tools(flags));
  ASSIGN_OR_RETURN(shop->journal_,
                   store::open_journal_at(
                       {.place = journal_file(flags.db, context.settings)}));
  ASSIGN_OR_RETURN(shop->model_,
                   open_optional_model(context.settings, context.clock));
  // Skills are extracted by rules, which replay exactly and cost no tokens.
  ASSIGN_OR_RETURN(
      shop->library_,
      skills::SkillLibrary::open(
          *shop->store_, {.find_tool = shop->tools_.finder()}, context.clock));
  shop->thoughts_ = std::make_unique<thought::ThoughtEngine>(
      thought::EngineOptions{}, *shop->journal_, context.clock,
      Rng(entropy_seed()));
  agent::AgentRunnerOptions& options = shop->options_;
  options.agent = record;
  options.workspace = shop->workspace_->folder().string();
  ASSIGN_OR_RETURN(options.limits, parse_search_budget(flags.budget));
  if (flags.steps) options.limits.evaluations = flags.steps;
  options.allows_all = flags.says_yes;
  options.ask = std::move(ask);
  options.library = shop->library_.get();
  if (shop->model_) {
    RETURN_IF_ERROR(
        llm::check_price_known(options.limits, shop->model_->price()));
  }
  options.planner = shop->make_planner(record);
  options.watch = [trace = &shop->trace_](std::string_view type,
                                          const Json& data) {
    trace->show(type, data);
  };
  options.find_delegate =
      [shop = shop.get()](
          const std::string& name) -> Result<agent::DelegateAgent> {
    ASSIGN_OR_RETURN(const auto other, find_agent(*shop->store_, name));
    return agent::DelegateAgent{.agent = other,
                                .planner = shop->make_planner(other)};
  };
  return shop;
}

Result<void> AgentWorkshop::add_tools(const AgentWorkFlags& flags) {
  RETURN_IF_ERROR(agent::add_builtin_tools(
      tools_, {.workspace = workspace_,
               .http = {.allowed_hosts = {flags.allowed_hosts.begin(),
                                          flags.allowed_hosts.end()},
                        .allows_private_addresses = flags.allows_private},
               .has_python = !flags.has_no_python}));
  RETURN_IF_ERROR(runs::add_run_agent_tools(
      tools_, {.program = runs::program_path(),
               .journal = store::absolute_place(
                   journal_file(flags.db, context_.settings)),
               .data_folder = context_.settings.text("data_dir"),
               .workspace = workspace_}));
  for (const std::string& given : flags.mcp_servers) {
    ASSIGN_OR_RETURN(auto server, agent::parse_mcp_server(given));
    if (const char* token =
            std::getenv(agent::mcp_token_variable(server.name).c_str())) {
      server.token = token;
    }
    ASSIGN_OR_RETURN(
        const auto client,
        agent::McpClient::start(std::move(server), context_.cancel));
    RETURN_IF_ERROR(agent::add_mcp_tools(tools_, client, context_.cancel));
  }
  ASSIGN_OR_RETURN(auto others, store_->agents(skills::kLocalOrganization));
  std::erase_if(others, [&](const skills::AgentRecord& other) {
    return other.name == flags.agent;
  });
  return agent::add_delegate_tool(tools_, others);
}

std::shared_ptr<agent::Planner> AgentWorkshop::make_planner(
    const skills::AgentRecord& record) {
  if (!model_) return nullptr;
  const Settings& settings = context_.settings;
  if (has_small_model_) {
    return std::make_shared<agent::RoutingPlanner>(
        agent::RoutingPlannerOptions{.agent = record}, *model_, tools_,
        library_.get());
  }
  return std::make_shared<agent::ModelPlanner>(
      agent::ModelPlannerOptions{
          .agent = record,
          .max_tokens =
              static_cast<std::int64_t>(settings.count("llm.max_tokens")),
          .temperature = settings.number("llm.temperature"),
          .uses_json_protocol = uses_json_protocol_},
      *model_, tools_, library_.get(), thoughts_.get());
}

agent::AgentRunner AgentWorkshop::make_runner(
    agent::AgentRunnerOptions options) {
  return {std::move(options), tools_, *journal_, context_.clock,
          Rng(entropy_seed())};
}

void AgentWorkshop::run_jobs() {
  const auto remover =
      library_->use_profiler([&](const skills::EvolutionFinished& event) {
        const auto& payload = event.payload;
        context_.err << (payload.state == "done"
                             ? "Learned a skill; see `lamarck skills show " +
                                   payload.skill_id + "`.\n"
                             : "No skill learned: " +
                                   one_line(payload.message, 200) + "\n");
      });
  while (!context_.cancel.is_cancelled()) {
    const auto has_run = library_->run_one_job(context_.cancel);
    if (!has_run || !*has_run) break;
  }
  remover();
}

}  // namespace lamarck::cli
