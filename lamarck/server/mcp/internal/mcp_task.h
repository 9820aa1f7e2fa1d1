// A task, its JSON form for clients and its record in the journal.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/server/mcp/outcome.h"
#include "lamarck/store/event.h"

namespace lamarck::mcp {

enum class TaskStatus : std::uint8_t {
  Working,
  InputRequired,
  Completed,
  Failed,
  Cancelled,
};
std::string_view task_status_name(TaskStatus status);
bool is_final(TaskStatus status);

struct McpTask {
  std::string id;
  TaskStatus status = TaskStatus::Working;
  std::string message;  // For people; "" = none.
  Clock::WallTime created{};
  Clock::WallTime updated{};
  std::chrono::milliseconds time_to_live{0};
  std::chrono::milliseconds poll_interval{0};

  // Depending on the status:
  std::map<std::string, InputRequest> requests;  // InputRequired.
  std::string result;                            // Completed: an object.
  std::string error;                             // Failed: an object.

  bool is_expired(Clock::WallTime now) const {
    return now > created + time_to_live;
  }
};

// The JSON members of a task, without braces; `is_detailed` adds those that
// depend on the status.
std::string task_members(const McpTask& task, bool is_detailed);

// The `constraints` of an event of type "task": the whole task after the event.
std::string task_to_constraints(const McpTask& task, std::int64_t process);

// The task after its events, and the process that worked on it. Events after a
// final status are ignored.
struct RecordedTask {
  McpTask task;
  std::int64_t process = 0;
};
Result<RecordedTask> fold_task(const std::vector<store::Event>& events);

}  // namespace lamarck::mcp
