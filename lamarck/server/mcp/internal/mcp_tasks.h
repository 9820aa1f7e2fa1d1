// The tasks extension: work that continues after the reply.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/internal/mcp_task.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"
#include "lamarck/store/journal.h"

namespace lamarck::mcp {

// Thread safety: any member from any thread. Members that access the journal
// may block on the disk.
class McpTasks {
 public:
  struct Options {
    std::size_t max_tasks = 1'000;
    std::size_t workers = 64;
    std::function<std::string()> next_id;  // Unpredictable.
    // Called on each change with the members of the task.
    std::function<void(std::string_view id, std::string_view members)> changed;
  };

  // `clock` and `journal` (which may be null) must outlive this.
  McpTasks(Options options, Clock& clock, Rng rng, store::Journal* journal);
  ~McpTasks();  // Cancels active tasks.
  McpTasks(const McpTasks&) = delete;
  McpTasks& operator=(const McpTasks&) = delete;

  // Marks recorded tasks as failed if no living process works on them.
  Result<void> recover();

  // Records the task, starts the work and returns the members of the task.
  // Fails if there are too many tasks or the journal fails.
  Result<std::string> start(StartTask start, const McpEnvelope& envelope);

  // The detailed members of a task of this process.
  std::optional<std::string> find(std::string_view id);
  // The detailed members of a task in the journal.
  std::optional<std::string> find_recorded(const std::string& id);

  // Both return whether the task exists. Unrequested answers are ignored; once
  // all answers are there, the work resumes.
  bool update(std::string_view id, const McpMessage& message);
  bool cancel(std::string_view id);

  void stop();

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;

  EntryPtr find_entry(std::string_view id);
  Result<void> make_room();
  void run(const EntryPtr& entry);
  void settle(const EntryPtr& entry, Outcome outcome);
  void park(const EntryPtr& entry, InputRequired required);
  void finish(const EntryPtr& entry, TaskStatus status, std::string message,
              std::string result, std::string error);
  void fail(const EntryPtr& entry, const Failure& failure);
  Result<void> record(const McpTask& task, bool is_new);
  void notify(const McpTask& task) const;

  const Options options_;
  Clock& clock_;
  IdGenerator event_ids_;
  store::Journal* const journal_;
  CancelSource root_;

  std::mutex mutex_;
  // Guarded by mutex_, including the contents of the entries.
  std::map<std::string, EntryPtr, std::less<>> entries_;

  McpWorkers workers_;  // Last, so joined first.
};

}  // namespace lamarck::mcp
