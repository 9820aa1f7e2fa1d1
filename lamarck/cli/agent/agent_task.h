// `lamarck agent run`: a task is worked on to its end.

#pragma once

#include <string>

#include "lamarck/base/result.h"
#include "lamarck/cli/agent/agent_workshop.h"
#include "lamarck/cli/command.h"

namespace lamarck::cli {

struct AgentRunFlags {
  AgentWorkFlags work;
  std::string task;
  std::string plan;
  std::string resume;
};

void add_agent_run_flags(CLI::App& app, AgentRunFlags& flags);
Result<void> run_agent_task(const AgentRunFlags& flags,
                            CommandContext& context);

}  // namespace lamarck::cli
