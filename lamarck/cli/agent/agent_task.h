// `lamarck agent run`: a task is worked on to its end.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"

namespace lamarck::cli {

struct AgentRunFlags {
  std::string task;
  std::string agent = "default";
  std::string plan;
  std::string workspace = ".";
  std::string resume;
  std::string db;
  std::vector<std::string> budget;
  std::optional<std::int64_t> steps;
  std::vector<std::string> allowed_hosts;
  bool allows_private = false;
  bool says_yes = false;
  bool has_no_python = false;
  std::vector<std::string> mcp_servers;
  bool uses_json_protocol = false;
};

void add_agent_run_flags(CLI::App& app, AgentRunFlags& flags);
Result<void> run_agent_task(const AgentRunFlags& flags,
                            CommandContext& context);

}  // namespace lamarck::cli
