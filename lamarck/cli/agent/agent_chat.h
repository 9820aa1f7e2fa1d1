// `lamarck agent chat`: a conversation, in which each line is a task.

#pragma once

#include <string>

#include "lamarck/base/result.h"
#include "lamarck/cli/agent/agent_workshop.h"
#include "lamarck/cli/command.h"

namespace lamarck::cli {

struct AgentChatFlags {
  AgentWorkFlags work;
  std::string resume;  // The last run of an earlier conversation.
};

void add_agent_chat_flags(CLI::App& app, AgentChatFlags& flags);
Result<void> run_agent_chat(const AgentChatFlags& flags,
                            CommandContext& context);

}  // namespace lamarck::cli
