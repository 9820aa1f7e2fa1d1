// What an agent works with on the command line: its tools, skills, journal and
// model.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/agent/workspace.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/agent/agent_view.h"
#include "lamarck/cli/command.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::cli {

// The flags of all commands that run an agent.
struct AgentWorkFlags {
  std::string agent = "default";
  std::string workspace = ".";
  std::string db;
  std::vector<std::string> budget;
  std::optional<std::int64_t> steps;
  std::vector<std::string> allowed_hosts;
  bool allows_private = false;
  bool says_yes = false;
  bool has_no_python = false;
  std::vector<std::string> mcp_servers;
  bool uses_json_protocol = false;
  bool has_small_model = false;
};
void add_agent_work_flags(CLI::App& app, AgentWorkFlags& flags);

class AgentWorkshop {
 public:
  // `context` must outlive the object. `ask` may be empty.
  static Result<std::unique_ptr<AgentWorkshop>> open(
      const AgentWorkFlags& flags, CommandContext& context,
      agent::AskApproval ask);

  bool has_model() const { return model_ != nullptr; }
  const BudgetLimits& limits() const { return options_.limits; }
  store::Journal& journal() { return *journal_; }
  // The options for a run; change them as needed.
  agent::AgentRunnerOptions options() const { return options_; }
  agent::AgentRunner make_runner(agent::AgentRunnerOptions options);
  // EVOLVE: works through the jobs that runs queued. A failure is in the log of
  // the evolution and not of the run.
  void run_jobs();

 private:
  explicit AgentWorkshop(CommandContext& context)
      : context_(context), trace_(context.err) {}
  Result<void> add_tools(const AgentWorkFlags& flags);
  std::shared_ptr<agent::Planner> make_planner(
      const skills::AgentRecord& record);

  CommandContext& context_;
  AgentTrace trace_;
  bool uses_json_protocol_ = false;
  bool has_small_model_ = false;
  std::unique_ptr<skills::SkillStore> store_;
  std::shared_ptr<agent::Workspace> workspace_;
  agent::ToolRegistry tools_;
  std::unique_ptr<store::Journal> journal_;
  std::shared_ptr<llm::ChatModel> model_;  // Null = given plans only.
  std::unique_ptr<skills::SkillLibrary> library_;
  std::unique_ptr<thought::ThoughtEngine> thoughts_;
  agent::AgentRunnerOptions options_;
};

}  // namespace lamarck::cli
