// What an agent works with on the server: tools, skills, journal and model.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/agent/workspace.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/server/thought_service.h"

namespace lamarck::server {

struct AgentServiceOptions {
  std::string journal;  // Place of the journal; "" = nothing can be started.
  // Where tasks keep their files if the journal is in a database.
  std::string data_folder;
  std::string program;  // Path of `lamarck`, for tools that evolve.
  std::shared_ptr<llm::ChatModel> model;  // Null = plans and skills only.
  std::int64_t max_tokens = 2048;         // Per answer of the model.
  std::optional<double> temperature;
  std::set<std::string, std::less<>> allowed_hosts;  // Of the HTTP tools.
  std::size_t parallel = 4;  // Tasks at the same time; others wait.
  bool resumes = true;       // Continues what an earlier server did not finish.
};

// The services of one organization that its agents use.
struct AgentServices {
  std::string org;
  ThoughtService& thoughts;
  SkillService& skills;
  Clock& clock;
};

// Owned by one thread at a time.
class AgentKit {
 public:
  // `options` and `services` must outlive the object.
  static Result<std::unique_ptr<AgentKit>> open(
      const AgentServiceOptions& options, const AgentServices& services,
      const std::string& agent, const std::string& workspace);

  const agent::ToolRegistry& tools() const { return tools_; }
  const agent::Workspace& workspace() const { return *workspace_; }
  // Dangerous calls wait for an answer.
  agent::AgentRunnerOptions runner_options();
  agent::AgentRunner make_runner(agent::AgentRunnerOptions options);

 private:
  AgentKit(const AgentServiceOptions& options, const AgentServices& services)
      : options_(options), services_(services) {}
  Result<void> add_tools();
  std::shared_ptr<agent::Planner> make_planner(
      const skills::AgentRecord& record);

  const AgentServiceOptions& options_;
  const AgentServices& services_;
  skills::AgentRecord agent_;
  std::shared_ptr<agent::Workspace> workspace_;
  agent::ToolRegistry tools_;
};

// Changes the record of a run that nobody works on.
agent::AgentRunner make_recorder(const AgentServices& services);

// The agent of the organization; creates the default one.
Result<skills::AgentRecord> find_server_agent(const AgentServices& services,
                                              const std::string& name);

}  // namespace lamarck::server
