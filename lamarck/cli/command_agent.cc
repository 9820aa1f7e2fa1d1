#include <algorithm>
#include <memory>
#include <string>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/agent/agent_chat.h"
#include "lamarck/cli/agent/agent_store.h"
#include "lamarck/cli/agent/agent_task.h"
#include "lamarck/cli/agent/agent_view.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/short_id.h"
#include "lamarck/runs/known_tools.h"
#include "lamarck/skills/tool_info.h"
#include "lamarck/store/redaction.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kShownRuns = 5;

struct AgentFlags {
  std::string name;
  std::string db;
  bool shows_context = false;
  // Settings of an agent; unset = unchanged.
  std::optional<std::string> instructions;
  std::vector<std::string> allowed;
  std::vector<std::string> denied;
  std::string evolve;
  std::string auto_approve;
  std::optional<double> min_quality;
  std::optional<std::int64_t> max_per_hour;
  std::optional<std::int64_t> cooldown;
};

// Says so if nothing of this program has that name: it may be a tool of an MCP
// server or of another agent, or a slip of the pen.
void warn_unknown_permission(const std::string& name, CommandContext& context) {
  const auto is_name = [&](const skills::CapabilityEntry& entry) {
    return entry.name == name;
  };
  const bool is_known = name == "*" || name == agent::kDelegateTool ||
                        name.find('.') != std::string::npos ||
                        std::ranges::any_of(skills::capabilities(), is_name) ||
                        runs::known_tools()(name).has_value();
  if (is_known) return;
  context.err << "Note: " << in_quotes(name)
              << " is neither a capability nor a tool of this program; it "
                 "matters only for a tool of that name from elsewhere.\n";
}

Result<void> set_permissions(const AgentFlags& flags,
                             skills::AgentRecord& agent,
                             CommandContext& context) {
  for (const std::string& name : flags.denied) {
    if (std::erase(agent.allowed, name) > 0) continue;
    return Error(
        ErrorCode::NotFound,
        fmt::format("The agent {} has no permission {} to take back; "
                    "it has: {}.",
                    in_quotes(agent.name), in_quotes(name),
                    agent.allowed.empty()
                        ? "none"
                        : fmt::format("{}", fmt::join(agent.allowed, ", "))));
  }
  for (const std::string& name : flags.allowed) {
    warn_unknown_permission(name, context);
    std::erase(agent.allowed, name);
    agent.allowed.push_back(name);
  }
  return {};
}

// Changes `agent` as the flags say.
Result<void> set_agent(const AgentFlags& flags, skills::AgentRecord& agent,
                       CommandContext& context) {
  if (flags.instructions) agent.instructions = *flags.instructions;
  RETURN_IF_ERROR(set_permissions(flags, agent, context));
  Json changed = Json::object();
  if (!flags.evolve.empty()) changed["enabled"] = flags.evolve == "on";
  if (!flags.auto_approve.empty()) {
    changed["auto_approve"] = flags.auto_approve == "on";
  }
  if (flags.min_quality) changed["min_quality_score"] = *flags.min_quality;
  if (flags.max_per_hour) changed["max_evolve_per_hour"] = *flags.max_per_hour;
  if (flags.cooldown) changed["cooldown_minutes"] = *flags.cooldown;
  ASSIGN_OR_RETURN(agent.evolution,
                   skills::parse_evolution_config(changed, agent.evolution));
  return {};
}

void print_agent(const skills::AgentRecord& agent, CommandContext& context) {
  context.out << (context.json ? dump_json(skills::to_json(agent)) + "\n"
                               : agent_text(agent, {}));
}

Result<void> create_agent(const AgentFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(skills::check_agent_name(flags.name));
  ASSIGN_OR_RETURN(const auto store, open_agent_store(flags.db, context));
  skills::AgentRecord agent{.org_id = std::string(skills::kLocalOrganization),
                            .name = flags.name};
  RETURN_IF_ERROR(set_agent(flags, agent, context));
  const auto created = store->create_agent(agent);
  if (!created && created.error().code() == ErrorCode::AlreadyExists) {
    return Error(ErrorCode::AlreadyExists,
                 "There is already an agent " + in_quotes(flags.name) +
                     "; change it with `lamarck agent config`.");
  }
  if (!created) return created.error();
  print_agent(*created, context);
  return {};
}

Result<void> configure_agent(const AgentFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const auto store, open_agent_store(flags.db, context));
  ASSIGN_OR_RETURN(skills::AgentRecord agent, find_agent(*store, flags.name));
  RETURN_IF_ERROR(set_agent(flags, agent, context));
  ASSIGN_OR_RETURN(agent, store->update_agent(agent));
  print_agent(agent, context);
  return {};
}

Result<void> list_agents(const AgentFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const auto store, open_agent_store(flags.db, context));
  ASSIGN_OR_RETURN(const auto agents,
                   store->agents(skills::kLocalOrganization));
  if (!context.json) {
    context.out << agent_list_text(agents);
    return {};
  }
  Json list = Json::array();
  for (const auto& agent : agents) list.push_back(skills::to_json(agent));
  context.out << dump_json(Json{{"agents", std::move(list)}}) << "\n";
  return {};
}

Result<void> show_run(const AgentFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const auto journal, open_journal_to_read(journal_file(
                                           flags.db, context.settings)));
  ASSIGN_OR_RETURN(const std::string id,
                   find_run_id(*journal, agent::kAgentRunKind, flags.name));
  const auto stored = journal->run(id);
  if (!stored || stored->kind != agent::kAgentRunKind) {
    return Error(ErrorCode::NotFound, "There is no run " +
                                          in_quotes(flags.name) +
                                          "; see `lamarck agent show NAME`.");
  }
  ASSIGN_OR_RETURN(const auto events, journal->events(id));
  ASSIGN_OR_RETURN(const agent::AgentRun run,
                   agent::fold_agent_run(id, events));
  if (flags.shows_context) {
    context.out << (context.json ? dump_json(agent_context_json(run)) + "\n"
                                 : agent_context_text(run));
    return {};
  }
  context.out << (context.json
                      ? dump_json(store::redacted_json(agent::to_json(run))) +
                            "\n"
                      : agent_run_text(run));
  return {};
}

Result<void> show_agent(const AgentFlags& flags, CommandContext& context) {
  if (flags.name.starts_with("agent_")) return show_run(flags, context);
  ASSIGN_OR_RETURN(const auto store, open_agent_store(flags.db, context));
  const auto agent = find_agent(*store, flags.name);
  if (!agent && agent.error().code() == ErrorCode::NotFound) {
    // A part of an id of a run; without one, the agent is what is missing.
    auto shown = show_run(flags, context);
    if (shown || shown.error().code() != ErrorCode::NotFound) return shown;
  }
  if (!agent) return agent.error();
  std::vector<store::Run> runs;
  if (const auto journal =
          open_journal_to_read(journal_file(flags.db, context.settings))) {
    ASSIGN_OR_RETURN(
        runs, (*journal)->runs({.kind = std::string(agent::kAgentRunKind),
                                .limit = kShownRuns}));
  }
  context.out << (context.json ? dump_json(skills::to_json(*agent)) + "\n"
                               : agent_text(*agent, runs));
  return {};
}

void add_name(CLI::App& app, AgentFlags& flags, const std::string& what) {
  add_option(app, "NAME", &flags.name, what, {.is_required = true});
}

void add_agent_settings(CLI::App& app, AgentFlags& flags) {
  add_name(app, flags, "Name of the agent");
  add_option(app, "--instructions", &flags.instructions,
             "What the agent should know", {.type = "TEXT"});
  add_option(app, "--allow", &flags.allowed,
             "Tool or capability (network, deletes, sends, executes) that it "
             "may use without asking",
             {.type = "NAME", .is_repeatable = true});
  add_option(app, "--deny", &flags.denied, "Take a permission back",
             {.type = "NAME", .is_repeatable = true});
  add_option(app, "--evolve", &flags.evolve, "Learn skills from its runs",
             {.type = "on|off", .is_choice = true});
  add_option(app, "--auto-approve", &flags.auto_approve,
             "Approve good skills without review",
             {.type = "on|off", .is_choice = true});
  add_option(app, "--min-quality", &flags.min_quality,
             "Lowest quality of a skill, 0 to 1", {.type = "X"});
  add_option(app, "--max-per-hour", &flags.max_per_hour,
             "Most evolutions per hour", {.type = "N"});
  add_option(app, "--cooldown", &flags.cooldown,
             "Minutes between two evolutions", {.type = "N"});
  add_journal_flag(app, flags.db);
}

using AgentAction = Result<void> (*)(const AgentFlags&, CommandContext&);

// A subcommand whose flags are AgentFlags.
template <AgentAction Action, void (*Add)(CLI::App&, AgentFlags&)>
CommandAction configure_with(CLI::App& app) {
  const auto flags = std::make_shared<AgentFlags>();
  Add(app, *flags);
  return [flags](CommandContext& context) { return Action(*flags, context); };
}

void add_show_flags(CLI::App& app, AgentFlags& flags) {
  add_name(app, flags,
           "Name of an agent; or ID of a run, a part of it, or last");
  add_switch(app, "--context", flags.shows_context,
             "Show what the model was sent, with token counts");
  add_journal_flag(app, flags.db);
}

void add_list_flags(CLI::App& app, AgentFlags& flags) {
  add_journal_flag(app, flags.db);
}

Command agent_run_command() {
  return {
      .name = "run",
      .summary = "Work on a task",
      .description =
          "Works on a task with tools: files of the workspace, HTTP to "
          "allowed hosts, statistics of CSV files, Python in a sandbox, "
          "and formulas. Follows a plan (--plan FILE), or asks the model of "
          "--llm-base-url and --llm-model what to do. Asks before calls "
          "that run programs, delete, send or use the network. Everything "
          "is in the journal: --resume continues an interrupted run.",
      .example = "lamarck agent run \"Sum up sales.csv\" --plan plan.json",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<AgentRunFlags>();
        add_agent_run_flags(app, *flags);
        return [flags](CommandContext& context) {
          return run_agent_task(*flags, context);
        };
      }};
}

Command agent_chat_command() {
  return {
      .name = "chat",
      .summary = "Talk with an agent",
      .description =
          "Reads one request per line and works on each with tools, as "
          "`lamarck agent run` does; the agent remembers the conversation. "
          "Limits are those of the whole conversation. Every request is a run "
          "in the journal; --resume continues after one. /help lists the "
          "commands. With --json, prints one object per request.",
      .example = "lamarck agent chat --workspace work --budget 200ktok",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<AgentChatFlags>();
        add_agent_chat_flags(app, *flags);
        return [flags](CommandContext& context) {
          return run_agent_chat(*flags, context);
        };
      }};
}

}  // namespace

Command agent_command() {
  return {
      .name = "agent",
      .summary = "Let an agent work on a task with tools",
      .description =
          "Runs agents and manages them. An agent has permissions, "
          "instructions, and skills that it learns from its runs.",
      .example =
          "lamarck agent run \"Sum up sales.csv\" --plan plan.json\n"
          "  lamarck agent config default --evolve on",
      .subcommands = {
          agent_run_command(),
          agent_chat_command(),
          {.name = "create",
           .summary = "Create an agent",
           .description = "Creates an agent with these settings.",
           .example = "lamarck agent create analyst --evolve on",
           .configure = configure_with<create_agent, add_agent_settings>},
          {.name = "list",
           .summary = "List the agents",
           .description = "Lists the agents with their permissions.",
           .example = "lamarck agent list --json",
           .configure = configure_with<list_agents, add_list_flags>},
          {.name = "show",
           .summary = "Show an agent or a run",
           .description =
               "Shows the settings and the last runs of an agent, or one run "
               "with its calls. With --context, shows what the model was "
               "sent.",
           .example = "lamarck agent show default",
           .configure = configure_with<show_agent, add_show_flags>},
          {.name = "config",
           .summary = "Change the settings of an agent",
           .description = "Changes the given settings of an agent.",
           .example = "lamarck agent config default --allow http_get",
           .configure = configure_with<configure_agent, add_agent_settings>},
      }};
}

}  // namespace lamarck::cli
