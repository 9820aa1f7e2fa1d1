// Work that goes on after the answer, as the tasks extension has it.

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

// Thread safety: any member from any thread. Those that touch the journal may
// wait for its disk.
class McpTasks {
 public:
  struct Options {
    std::size_t max_tasks = 1'000;
    std::size_t workers = 64;
    std::function<std::string()> next_id;  // Nobody can guess one.
    // Told of each change, with the task's members.
    std::function<void(std::string_view id, std::string_view members)> changed;
  };

  // `clock` and `journal` (which may be null) outlive it.
  McpTasks(Options options, Clock& clock, Rng rng, store::Journal* journal);
  ~McpTasks();  // Cancels what is under way.
  McpTasks(const McpTasks&) = delete;
  McpTasks& operator=(const McpTasks&) = delete;

  // Fails the recorded tasks that no living process works on any more.
  Result<void> recover();

  // Begins the work; returns the new task's members, recorded. The error says
  // that there are too many, or that the journal refused.
  Result<std::string> start(StartTask start, const McpEnvelope& envelope);

  // The members of a task with those of its status, if it is one of this
  // process.
  std::optional<std::string> find(std::string_view id);
  // Likewise, from the journal.
  std::optional<std::string> find_recorded(const std::string& id);

  // Both return whether there is such a task. Answers to what was not asked are
  // ignored; when all are there the work goes on.
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
  void tell(const McpTask& task) const;

  const Options options_;
  Clock& clock_;
  IdGenerator event_ids_;
  store::Journal* const journal_;
  CancelSource root_;

  std::mutex mutex_;
  // Guarded by mutex_, with what the entries hold.
  std::map<std::string, EntryPtr, std::less<>> entries_;

  McpWorkers workers_;  // Ends first.
};

}  // namespace lamarck::mcp
