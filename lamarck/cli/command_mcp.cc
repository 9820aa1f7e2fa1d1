#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/cli/skills/skills_file.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/server/organization_services.h"
#include "lamarck/store/journal_place.h"

namespace lamarck::cli {
namespace {

struct McpFlags {
  std::string db;
  std::string skills;
  bool no_sync = false;
  std::string print_config;
};

// How a client's configuration describes a server.
struct ClientConfig {
  std::string_view client;
  std::string_view file;     // The configuration file.
  std::string_view servers;  // The key of the list of servers.
  bool has_type = false;     // Wants "type": "stdio".
};
constexpr std::array kClients = {
    ClientConfig{"claude", "claude_desktop_config.json", "mcpServers"},
    ClientConfig{"vscode", ".vscode/mcp.json", "servers", true},
    ClientConfig{"cursor", ".cursor/mcp.json", "mcpServers"},
};

// A program with the words that come before those of `lamarck`.
struct StartCommand {
  std::string program;
  std::vector<std::string> words;
};

// Returns the first `lamarck` in PATH that is a native program, not a script;
// empty if there is none.
std::string native_program() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const std::string_view folder : split_text(path, ':')) {
    std::string file = std::string(folder) + "/lamarck";
    std::array<char, 4> begin{};
    std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
    const std::string_view magic(begin.data(), begin.size());
    if (magic ==
        "\x7F"
        "ELF")
      return file;
  }
  return "";
}

// The fastest way to start this program that lasts: the program itself. npx
// keeps it in a cache that may be emptied, and Python is slower to start.
StartCommand start_command() {
  const std::string path = runs::program_path();
  const char* python = std::getenv("LAMARCK_PYTHON");
  const bool is_cached = path.find("/_npx/") != std::string::npos;
  if (path.empty()) return {"lamarck", {}};
  if (!is_cached && python == nullptr) return {path, {}};
  if (const std::string native = native_program(); !native.empty()) {
    return {native, {}};
  }
  if (is_cached) return {"npx", {"-y", "lamarck"}};
  return {python, {"-m", "lamarck"}};
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

// Returns the arguments that start a server with the same settings. Paths are
// absolute, because a client may start it in any folder.
Json server_arguments(const McpFlags& flags, const StartCommand& start,
                      const CommandContext& context) {
  Json words = start.words;
  words.push_back("mcp");
  const auto add = [&](std::string_view flag, const std::string& value) {
    words.push_back(flag);
    words.push_back(value);
  };
  if (!flags.db.empty()) {
    const bool is_place = flags.db != kMemoryJournal;
    add("--db", is_place ? store::absolute_place(flags.db) : flags.db);
  }
  if (!flags.skills.empty())
    add("--skills", store::absolute_place(flags.skills));
  if (flags.no_sync) words.push_back("--no-sync");
  if (is_given(context.program, "--config") && context.settings.file()) {
    add("--config", absolute_path(context.settings.file()->string()));
  }
  for (const Setting& setting : kSettings) {
    const Settings::Value& value = context.settings[setting.key];
    if (!value.origin.starts_with("flag ")) continue;
    const bool is_path = setting.key == "data_dir";
    add(flag_name(setting), is_path ? absolute_path(value.text) : value.text);
  }
  return words;
}

Result<void> print_config(const McpFlags& flags, CommandContext& context) {
  for (const ClientConfig& entry : kClients) {
    if (entry.client != flags.print_config) continue;
    const StartCommand start = start_command();
    Json server = {{"command", start.program},
                   {"args", server_arguments(flags, start, context)}};
    if (entry.has_type) server["type"] = "stdio";
    context.err << "Paste this into " << entry.file << ":\n";
    context.out << dump_json(Json{{entry.servers, {{"lamarck", server}}}}, 2)
                << "\n";
    return {};
  }
  return Error(ErrorCode::InvalidArgument,
               "Unknown client " + in_quotes(flags.print_config) +
                   "; use claude, vscode or cursor.");
}

Result<void> run_mcp(const McpFlags& flags, CommandContext& context) {
  if (!flags.print_config.empty()) return print_config(flags, context);
  server::ThoughtServiceOptions options;
  options.journal = served_journal(flags.db, context.settings);
  const bool is_in_memory = options.journal.empty();
  options.durable = !flags.no_sync;
  ASSIGN_OR_RETURN(options.model,
                   open_optional_model(context.settings, context.clock));
  server::SkillServiceOptions skill_options;
  skill_options.path =
      served_skills_file(flags.skills, flags.db, context.settings);
  skill_options.durable = !flags.no_sync;
  skill_options.model = options.model;
  skill_options.sends_webhooks = false;  // `lamarck serve` sends them.
  ASSIGN_OR_RETURN(const std::unique_ptr<server::SkillService> skill_service,
                   server::SkillService::open(skill_options, context.clock));
  const std::string run_journal = options.journal;
  // Before the service, whose handlers use it until it ends.
  std::unique_ptr<server::RunService> runs;
  ASSIGN_OR_RETURN(const std::unique_ptr<server::ThoughtService> service,
                   server::open_thought_service(
                       std::move(options), *skill_service,
                       [&](std::string_view) -> Result<server::RunService*> {
                         return runs.get();
                       },
                       skills::kLocalOrganization, context.clock));
  runs = std::make_unique<server::RunService>(
      server::RunServiceOptions{
          .journal = run_journal,
          .data_folder = context.settings.text("data_dir"),
          .program = runs::program_path(),
          .parallel = std::max(1u, std::thread::hardware_concurrency()),
          .resumes = false},
      service->journal(), context.clock);
  const Result<void> served = service->protocol().serve_stdio(
      STDIN_FILENO, STDOUT_FILENO, context.cancel);
  // Its threads use the journal of the service.
  runs->stop();
  if (!served) return served.error();
  if (is_in_memory && context.cancel.is_cancelled())
    return memory_journal_lost();
  return {};
}

}  // namespace

Command mcp_command() {
  return {.name = "mcp",
          .summary = "Serve thoughts and skills to an MCP client over stdio",
          .description =
              "Gives a client of the Model Context Protocol (Claude Desktop, "
              "an editor, an agent) tools to reason with: sessions, branches, "
              "plan validation, evidence, repair of failures, and digests; "
              "and skills: find one that fits a task, report how it worked, "
              "learn one from a finished task. "
              "Every acknowledged step is on disk; --db :memory: stores "
              "nothing. Supports the protocol versions 2026-07-28, 2025-11-25 "
              "and older ones. --print-config prints the configuration for a "
              "client. With --llm-base-url and --llm-model, the server itself "
              "can let a model work on branches.",
          .example = "lamarck mcp --print-config claude",
          .has_json = false,
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<McpFlags>();
            add_journal_flag(app, flags->db);
            add_skills_flag(app, flags->skills);
            add_switch(
                app, "--no-sync", flags->no_sync,
                "Answer before data is on disk; a power cut may lose it");
            add_option(app, "--print-config", &flags->print_config,
                       "Print the configuration for claude, vscode or cursor",
                       {.type = "CLIENT"});
            return [flags](CommandContext& context) {
              return run_mcp(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
