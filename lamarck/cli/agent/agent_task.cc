#include "lamarck/cli/agent/agent_task.h"

#include <unistd.h>
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/builtin_tools.h"
#include "lamarck/agent/mcp_client.h"
#include "lamarck/agent/model_planner.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/agent/agent_store.h"
#include "lamarck/cli/agent/agent_view.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/search_limits.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/store/redaction.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::cli {
namespace {

Result<std::optional<agent::AgentPlan>> read_plan(const std::string& file) {
  if (file.empty()) return std::optional<agent::AgentPlan>();
  ASSIGN_OR_RETURN(const std::string text, read_file(file, 10 << 20));
  auto plan = parse_json(text).and_then(
      [](const Json& json) { return agent::parse_agent_plan(json); });
  if (!plan) return plan.error().within(one_line(file));
  return std::optional(std::move(*plan));
}

// Shows the exact call and reads one letter.
agent::AskApproval make_question(const CommandContext& context) {
  if (!context.err_is_terminal || isatty(STDIN_FILENO) == 0) return {};
  std::ostream& err = context.err;
  return [&err](const skills::ToolInfo& tool, const Json& arguments) {
    err << safe_lines(fmt::format("The agent wants to call {}:\n{}\n",
                                  tool.name, dump_json(arguments, 2)))
        << "Allow it? [o]nce, [a]lways in this run, [n]ever: " << std::flush;
    std::string line;
    std::getline(std::cin, line);
    if (line.starts_with('o')) return agent::Approval::Once;
    return line.starts_with('a') ? agent::Approval::Always
                                 : agent::Approval::Never;
  };
}

Result<void> check_run_flags(const AgentRunFlags& flags) {
  if (flags.task.empty() == flags.resume.empty()) {
    return invalid_argument(
        "Either a task or --resume ID is required: `lamarck agent run "
        "\"TASK\"`.");
  }
  if (!flags.resume.empty() && !flags.plan.empty()) {
    return invalid_argument(
        "--resume continues with the plan of the run; leave out --plan.");
  }
  return {};
}

Result<std::unique_ptr<skills::SkillLibrary>> open_library(
    skills::SkillStore& store, const agent::ToolRegistry& tools,
    const CommandContext& context) {
  // Skills are extracted by rules, which replay exactly and cost no tokens.
  return skills::SkillLibrary::open(store, {.find_tool = tools.finder()},
                                    context.clock);
}

agent::ModelPlannerOptions planner_options(const AgentRunFlags& flags,
                                           const skills::AgentRecord& agent,
                                           const Settings& settings) {
  return {
      .agent = agent,
      .max_tokens = static_cast<std::int64_t>(settings.count("llm.max_tokens")),
      .temperature = settings.number("llm.temperature"),
      .uses_json_protocol = flags.uses_json_protocol};
}

// EVOLVE: works through the jobs that the run queued, after its answer is safe.
// A failure is in the log of the evolution and not of the run.
void run_jobs(skills::SkillLibrary& library, const CommandContext& context) {
  const auto remover =
      library.use_profiler([&](const skills::EvolutionFinished& event) {
        const auto& payload = event.payload;
        context.err << (payload.state == "done"
                            ? "Learned a skill; see `lamarck skills show " +
                                  payload.skill_id + "`.\n"
                            : "No skill learned: " +
                                  one_line(payload.message, 200) + "\n");
      });
  while (!context.cancel.is_cancelled()) {
    const auto has_run = library.run_one_job(context.cancel);
    if (!has_run || !*has_run) return;
  }
}

// Prints how the run ended. A task that was not solved is an error.
Result<void> print_outcome(const agent::AgentRun& run,
                           const CommandContext& context) {
  if (context.json) {
    context.out << dump_json(store::redacted_json(agent::to_json(run))) << "\n";
  } else if (!run.answer.empty()) {
    context.out << (context.out_is_terminal ? safe_lines(run.answer)
                                            : run.answer)
                << "\n";
  }
  if (run.reflection && run.reflection->success) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("The task was not solved; see `lamarck agent show "
                           "{}`.",
                           run.id));
}

}  // namespace

void add_agent_run_flags(CLI::App& app, AgentRunFlags& flags) {
  add_option(app, "TASK", &flags.task, "What the agent should do");
  add_option(app, "--agent", &flags.agent, "Which agent (default: default)",
             {.type = "NAME"});
  add_option(app, "--plan", &flags.plan,
             "Follow this plan (JSON) instead of asking a model",
             {.type = "FILE"});
  add_option(app, "--workspace", &flags.workspace,
             "Folder whose files the agent may use (default: this one)",
             {.type = "DIR"});
  add_option(app, "--resume", &flags.resume,
             "Continue a run that was interrupted", {.type = "ID"});
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
             "MCP server whose tools the agent may use as NAME.TOOL",
             {.type = "NAME=COMMAND", .is_repeatable = true});
  add_switch(app, "--json-protocol", flags.uses_json_protocol,
             "For models without tool calling");
  add_switch(app, "--no-python", flags.has_no_python, "Offer no Python tool");
  add_journal_flag(app, flags.db);
}

Result<void> run_agent_task(const AgentRunFlags& flags,
                            CommandContext& context) {
  RETURN_IF_ERROR(check_run_flags(flags));
  ASSIGN_OR_RETURN(const auto plan, read_plan(flags.plan));
  ASSIGN_OR_RETURN(const auto store, open_agent_store(context));
  ASSIGN_OR_RETURN(const auto record, find_agent(*store, flags.agent));
  ASSIGN_OR_RETURN(const auto workspace,
                   agent::Workspace::open(flags.workspace));
  agent::ToolRegistry tools;
  RETURN_IF_ERROR(agent::add_builtin_tools(
      tools, {.workspace = workspace,
              .http = {.allowed_hosts = {flags.allowed_hosts.begin(),
                                         flags.allowed_hosts.end()},
                       .allows_private_addresses = flags.allows_private},
              .has_python = !flags.has_no_python}));
  for (const std::string& given : flags.mcp_servers) {
    ASSIGN_OR_RETURN(auto server, agent::parse_mcp_server(given));
    ASSIGN_OR_RETURN(const auto client, agent::McpClient::start(
                                            std::move(server), context.cancel));
    RETURN_IF_ERROR(agent::add_mcp_tools(tools, client, context.cancel));
  }
  ASSIGN_OR_RETURN(const auto journal,
                   store::open_sqlite_journal(
                       {.path = journal_file(flags.db, context.settings)}));
  ASSIGN_OR_RETURN(const auto model,
                   open_optional_model(context.settings, context.clock));
  const auto library = open_library(*store, tools, context);
  if (!library) return library.error();
  thought::ThoughtEngine thoughts({}, *journal, context.clock,
                                  Rng(entropy_seed()));
  AgentTrace trace(context.err);
  agent::AgentRunnerOptions options{.agent = record,
                                    .workspace = workspace->folder().string(),
                                    .allows_all = flags.says_yes,
                                    .ask = make_question(context)};
  ASSIGN_OR_RETURN(options.limits, parse_search_budget(flags.budget));
  if (flags.steps) options.limits.evaluations = flags.steps;
  options.library = library->get();
  if (model) {
    RETURN_IF_ERROR(llm::check_price_known(options.limits, model->price()));
    options.planner = std::make_shared<agent::ModelPlanner>(
        planner_options(flags, record, context.settings), *model, tools,
        library->get(), &thoughts);
  }
  options.watch = [&](std::string_view type, const Json& data) {
    trace.show(type, data);
  };
  agent::AgentRunner runner(std::move(options), tools, *journal, context.clock,
                            Rng(entropy_seed()));
  ASSIGN_OR_RETURN(const agent::AgentRun run,
                   flags.resume.empty()
                       ? runner.run(flags.task, plan, context.cancel)
                       : runner.resume(flags.resume, context.cancel));
  if (*library) run_jobs(**library, context);
  return print_outcome(run, context);
}

}  // namespace lamarck::cli
