#include "lamarck/server/mcp/internal/mcp_task.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/server/mcp/internal/mcp_message.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"

namespace lamarck::mcp {
namespace {

constexpr std::array<std::string_view, 5> kStatusNames = {
    "working", "input_required", "completed", "failed", "cancelled"};

Result<TaskStatus> status_named(std::string_view name) {
  const auto* found = std::ranges::find(kStatusNames, name);
  if (found == kStatusNames.end()) {
    return Error(
        ErrorCode::DataDamaged,
        "A recorded task has the unknown status '" + std::string(name) + "'.");
  }
  return static_cast<TaskStatus>(found - kStatusNames.begin());
}

Result<RecordedTask> read_record(const store::Event& event) {
  ASSIGN_OR_RETURN(const Json json, parse_json(event.constraints));
  ASSIGN_OR_RETURN(const std::string status,
                   json_field<std::string>(json, "status"));
  RecordedTask recorded;
  McpTask& task = recorded.task;
  ASSIGN_OR_RETURN(task.status, status_named(status));
  ASSIGN_OR_RETURN(const std::int64_t time_to_live,
                   json_field<std::int64_t>(json, "ttl_ms"));
  ASSIGN_OR_RETURN(const std::int64_t poll_interval,
                   json_field<std::int64_t>(json, "poll_ms"));
  ASSIGN_OR_RETURN(recorded.process,
                   json_field_or<std::int64_t>(json, "process", 0));
  task.time_to_live = std::chrono::milliseconds(time_to_live);
  task.poll_interval = std::chrono::milliseconds(poll_interval);
  task.message = event.content;
  task.updated = event.ts;
  if (json.contains("result")) task.result = dump_json(json["result"]);
  if (json.contains("error")) task.error = dump_json(json["error"]);
  return recorded;
}

}  // namespace

std::string_view task_status_name(TaskStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

bool is_final(TaskStatus status) { return status >= TaskStatus::Completed; }

std::string task_members(const McpTask& task, bool is_detailed) {
  std::string text =
      R"("taskId":)" + json_quoted(task.id) + R"(,"status":")" +
      std::string(task_status_name(task.status)) + R"(","createdAt":")" +
      to_iso8601(task.created) + R"(","lastUpdatedAt":")" +
      to_iso8601(task.updated) + R"(","ttlMs":)" +
      std::to_string(std::max<std::int64_t>(task.time_to_live.count(), 1)) +
      R"(,"pollIntervalMs":)" +
      std::to_string(std::max<std::int64_t>(task.poll_interval.count(), 1));
  if (!task.message.empty()) {
    text += R"(,"statusMessage":)" + json_quoted(task.message);
  }
  if (!is_detailed) return text;
  if (task.status == TaskStatus::InputRequired) {
    text += R"(,"inputRequests":)" + input_requests_object(task.requests);
  }
  if (task.status == TaskStatus::Completed) {
    text += R"(,"result":)" + task.result;
  }
  if (task.status == TaskStatus::Failed) text += R"(,"error":)" + task.error;
  return text;
}

std::string task_to_constraints(const McpTask& task, std::int64_t process) {
  std::string text =
      R"({"status":")" + std::string(task_status_name(task.status)) +
      R"(","ttl_ms":)" + std::to_string(task.time_to_live.count()) +
      R"(,"poll_ms":)" + std::to_string(task.poll_interval.count()) +
      R"(,"process":)" + std::to_string(process);
  if (!task.result.empty()) text += R"(,"result":)" + task.result;
  if (!task.error.empty()) text += R"(,"error":)" + task.error;
  return text + "}";
}

Result<RecordedTask> fold_task(const std::vector<store::Event>& events) {
  if (events.empty()) {
    return Error(ErrorCode::DataDamaged, "A recorded task has no events.");
  }
  RecordedTask now;
  for (const store::Event& event : events) {
    if (event.type != "task" || is_final(now.task.status)) continue;
    ASSIGN_OR_RETURN(now, read_record(event));
  }
  now.task.id = events.front().run;
  now.task.created = events.front().ts;
  return now;
}

}  // namespace lamarck::mcp
