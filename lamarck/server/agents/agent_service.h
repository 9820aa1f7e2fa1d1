// The tasks of one organization's agents for clients of the server: start,
// answer, continue the conversation, stop, resume.

#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_upload.h"
#include "lamarck/server/agents/agent_kit.h"
#include "lamarck/server/agents/task_queue.h"

namespace lamarck::server {

// A task that waits for a permission occupies no thread: its question is in
// the journal, so it outlives the server. Thread safety: all members may be
// called from any thread.
class AgentService {
 public:
  // The services must outlive the object. Resumes what an earlier server did
  // not finish.
  AgentService(AgentServiceOptions options, AgentServices services);
  ~AgentService();
  AgentService(const AgentService&) = delete;
  AgentService& operator=(const AgentService&) = delete;

  // {"task", "agent", "plan", "files": [ID of an upload], "steps", "tokens",
  // "seconds"}. Returns the id of the task.
  Result<std::string> start(const Json& request);
  // A further message of the conversation after the task `id`, with the same
  // fields; the new task has the same files.
  Result<std::string> send(const std::string& id, const Json& request);
  Result<void> answer(const std::string& id,
                      const agent::PermissionAnswer& given);
  Result<void> stop_task(const std::string& id, const std::string& by);
  Result<void> resume(const std::string& id);

  // What can be started: {"can_start", "model", "message", "agents", "tools"}.
  Result<Json> setup();
  // {"items": [{"path", "bytes"}]} of the workspace of a task.
  Result<Json> files(const std::string& id);
  // {"path", "type", "name"} of one of them.
  Result<Json> file(const std::string& id, const std::string& path);

  // Stops all work so that the next server continues it.
  void stop();

 private:
  struct Conversation {
    std::string workspace;
    std::string previous;
    Json history = Json::array();
  };
  Result<void> check_can_start() const;
  Result<agent::AgentRun> find(const std::string& id);
  // Fails unless this server may work on it.
  Result<agent::AgentRun> find_own(const std::string& id);
  Result<std::string> make_workspace();
  Result<void> add_files(const agent::Workspace& workspace, const Json& files,
                         std::string& task) const;
  Result<std::string> begin(const Json& request, const Conversation& talk);
  Result<void> resume_unfinished();
  void work(const std::string& id, const CancelToken& cancel);

  const AgentServiceOptions options_;
  const AgentServices services_;
  const runs::RunUploads uploads_;
  std::mutex mutex_;  // One change of a task at a time.
  TaskQueue queue_;   // Last, so that its threads end first.
};

// Finds the agents of an organization; may block. Empty = none are served.
using FindAgents = std::function<Result<AgentService*>(std::string_view org)>;

}  // namespace lamarck::server
