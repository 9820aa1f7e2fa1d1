#include "lamarck/server/mcp/internal/mcp_tasks.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/unicode.h"
#include "lamarck/server/mcp/internal/mcp_handler_guard.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"

namespace lamarck::mcp {
namespace {

constexpr std::size_t kMaxMessage = 400;  // Characters stored in the journal.
constexpr std::string_view kServerEnded =
    "The server stopped while the task was running; start it again.";

// The context of the work of a task; drops progress and log messages.
class TaskContext final : public CallContext {
 public:
  TaskContext(const McpEnvelope& envelope, const CancelToken& parent)
      : envelope_(envelope), cancel_(parent), token_(cancel_.token()) {}

  Era era() const override { return envelope_.era; }
  const std::string& version() const override { return envelope_.version; }
  const std::string& principal() const override { return principal_; }
  const ClientCapabilities& client() const override { return envelope_.client; }
  const CancelToken& cancel() const override { return token_; }
  const Json* input(std::string_view key) const override {
    const auto found = answers_.find(key);
    return found == answers_.end() ? nullptr : found->second.get();
  }
  const std::string& state() const override { return state_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(LogLevel, std::string_view, const Json&) override {}

  void request_cancel(std::string reason) { cancel_.cancel(std::move(reason)); }
  void answer(const std::string& key, std::shared_ptr<const Json> answer) {
    answers_[key] = std::move(answer);
  }
  void set_state(std::string state) { state_ = std::move(state); }

 private:
  const McpEnvelope envelope_;
  const std::string principal_;
  CancelSource cancel_;
  const CancelToken token_;
  InputAnswers answers_;
  std::string state_;
};

// Signal 0 only tests whether the process exists. A record of our own id is
// from an earlier process, since this one is just starting.
bool is_alive(std::int64_t process) {
  if (process <= 0 || process == getpid()) return false;
  return kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

}  // namespace

struct McpTasks::Entry {
  Entry(McpTask first, StartTask start, const McpEnvelope& envelope,
        const CancelToken& parent)
      : task(std::move(first)),
        work(std::move(start.work)),
        context(envelope, parent) {}

  McpTask task;
  const std::function<Outcome(CallContext&)> work;
  // Used by the work alone while it runs.
  TaskContext context;
  std::set<std::string> used_keys;
  // Key of the client -> key of the work.
  std::map<std::string, std::string> work_keys;
};

McpTasks::McpTasks(Options options, Clock& clock, Rng rng,
                   store::Journal* journal)
    : options_(std::move(options)),
      clock_(clock),
      event_ids_(clock, rng),
      journal_(journal),
      workers_(options_.workers) {}

McpTasks::~McpTasks() { stop(); }

void McpTasks::stop() { root_.cancel("The server is stopping."); }

Result<void> McpTasks::recover() {
  if (journal_ == nullptr) return {};
  // In both states a process was working on the task when it ended.
  for (const char* state : {"working", "input_required"}) {
    ASSIGN_OR_RETURN(
        const std::vector<store::Run> runs,
        journal_->runs(
            {.kind = "task", .state = state, .after = "", .limit = SIZE_MAX}));
    for (const store::Run& run : runs) {
      ASSIGN_OR_RETURN(const auto events, journal_->events(run.id));
      auto recorded = fold_task(events);
      if (!recorded.has_value() || is_alive(recorded->process)) continue;
      McpTask& task = recorded->task;
      if (!is_final(task.status)) {
        task.status = TaskStatus::Failed;
        task.message = kServerEnded;
        task.error = failure_object({kInternalError, task.message, ""});
      }
      RETURN_IF_ERROR(record(task, false));
    }
  }
  return {};
}

Result<void> McpTasks::record(const McpTask& task, bool is_new) {
  if (journal_ == nullptr) return {};
  store::Event event;
  event.id = "evt_" + event_ids_.next();
  event.type = "task";
  event.content = truncate_characters(task.message, kMaxMessage);
  event.constraints = task_to_constraints(task, getpid());
  event.status = is_final(task.status) ? "done" : "open";
  event.ts = clock_.wall_time();
  store::Append append;
  append.run = task.id;
  append.events.push_back(std::move(event));
  append.new_state = std::string(task_status_name(task.status));
  if (is_new) {
    store::Run run;
    run.id = task.id;
    run.kind = "task";
    run.title = "MCP task";
    run.state = *append.new_state;
    run.created = run.updated = task.created;
    append.new_run = std::move(run);
  }
  auto appended = journal_->append(std::move(append));
  if (!appended.has_value()) return appended.error();
  return {};
}

void McpTasks::notify(const McpTask& task) const {
  if (options_.changed) options_.changed(task.id, task_members(task, true));
}

// Removes expired tasks and, if there are still too many, the oldest finished
// one.
Result<void> McpTasks::make_room() {
  const auto now = clock_.wall_time();
  std::erase_if(entries_, [&](const auto& item) {
    if (!item.second->task.is_expired(now)) return false;
    item.second->context.request_cancel("The task has expired.");
    return true;
  });
  if (entries_.size() < options_.max_tasks) return {};
  auto oldest = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (is_final(it->second->task.status) &&
        (oldest == entries_.end() ||
         it->second->task.updated < oldest->second->task.updated)) {
      oldest = it;
    }
  }
  if (oldest == entries_.end()) {
    return Error(ErrorCode::Unavailable,
                 "There are already " + std::to_string(entries_.size()) +
                     " active tasks; wait for one to end.");
  }
  entries_.erase(oldest);
  return {};
}

Result<std::string> McpTasks::start(StartTask start,
                                    const McpEnvelope& envelope) {
  McpTask task;
  task.id = options_.next_id();
  task.created = task.updated = clock_.wall_time();
  task.time_to_live = start.time_to_live;
  task.poll_interval = start.poll_interval;
  auto entry =
      std::make_shared<Entry>(task, std::move(start), envelope, root_.token());
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(make_room());
    entries_[task.id] = entry;
  }
  // Recorded before the reply, so that the client can find the task after a
  // restart.
  auto recorded = record(task, true);
  if (!recorded.has_value() || !workers_.post([this, entry] { run(entry); })) {
    const std::lock_guard lock(mutex_);
    entries_.erase(task.id);
    if (!recorded.has_value()) return recorded.error();
    return Error(ErrorCode::Unavailable,
                 "The server is overloaded; try again later.");
  }
  return task_members(task, false);
}

McpTasks::EntryPtr McpTasks::find_entry(std::string_view id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  if (!found->second->task.is_expired(clock_.wall_time())) {
    return found->second;
  }
  found->second->context.request_cancel("The task has expired.");
  entries_.erase(found);
  return nullptr;
}

std::optional<std::string> McpTasks::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const EntryPtr entry = find_entry(id);
  if (entry == nullptr) return std::nullopt;
  return task_members(entry->task, true);
}

std::optional<std::string> McpTasks::find_recorded(const std::string& id) {
  if (journal_ == nullptr) return std::nullopt;
  const auto run = journal_->run(id);
  if (!run.has_value() || run->kind != "task") return std::nullopt;
  const auto events = journal_->events(id);
  if (!events.has_value()) return std::nullopt;
  const auto recorded = fold_task(*events);
  if (!recorded.has_value() || recorded->task.is_expired(clock_.wall_time())) {
    return std::nullopt;
  }
  return task_members(recorded->task, true);
}

void McpTasks::run(const EntryPtr& entry) {
  Outcome outcome = guarded([&] { return entry->work(entry->context); });
  // A task that completes while the server stops keeps its result.
  if (root_.token().is_cancelled() &&
      !std::holds_alternative<Complete>(outcome)) {
    return fail(entry, {kInternalError, std::string(kServerEnded), ""});
  }
  settle(entry, std::move(outcome));
}

void McpTasks::settle(const EntryPtr& entry, Outcome outcome) {
  if (auto* complete = std::get_if<Complete>(&outcome)) {
    return finish(entry, TaskStatus::Completed, "",
                  on_one_line(std::move(complete->result)), "");
  }
  if (auto* required = std::get_if<InputRequired>(&outcome)) {
    for (const auto& [key, request] : required->requests) {
      const auto missing = missing_capability(entry->context.client(), request);
      if (missing.has_value()) return fail(entry, *missing);
    }
    return park(entry, std::move(*required));
  }
  if (auto* failure = std::get_if<Failure>(&outcome)) {
    return fail(entry, *failure);
  }
  fail(entry, {kInternalError, "A task must not start another task.", ""});
}

void McpTasks::fail(const EntryPtr& entry, const Failure& failure) {
  finish(entry, TaskStatus::Failed, failure.message, "",
         failure_object(failure));
}

void McpTasks::park(const EntryPtr& entry, InputRequired required) {
  McpTask task;
  {
    const std::lock_guard lock(mutex_);
    if (is_final(entry->task.status)) return;
    entry->context.set_state(std::move(required.state));
    for (auto& [key, request] : required.requests) {
      // The specification allows a key only once per task.
      std::string name = key;
      for (int i = 2; !entry->used_keys.insert(name).second; ++i) {
        name = key + "-" + std::to_string(i);
      }
      entry->work_keys[name] = key;
      entry->task.requests[name] = std::move(request);
    }
    entry->task.status = TaskStatus::InputRequired;
    entry->task.updated = clock_.wall_time();
    task = entry->task;
  }
  // A failure is ignored: the state is in memory, and the next record repeats
  // it.
  static_cast<void>(record(task, false).has_value());
  notify(task);
}

void McpTasks::finish(const EntryPtr& entry, TaskStatus status,
                      std::string message, std::string result,
                      std::string error) {
  McpTask task;
  {
    const std::lock_guard lock(mutex_);
    if (is_final(entry->task.status)) return;
    entry->task.status = status;
    entry->task.message = std::move(message);
    entry->task.result = std::move(result);
    entry->task.error = std::move(error);
    entry->task.requests.clear();
    entry->task.updated = clock_.wall_time();
    task = entry->task;
  }
  static_cast<void>(record(task, false).has_value());
  notify(task);
}

bool McpTasks::update(std::string_view id, const McpMessage& message) {
  const Json* answers = find_member(*message.params, "inputResponses");
  const std::lock_guard lock(mutex_);
  const EntryPtr entry = find_entry(id);
  if (entry == nullptr) return false;
  McpTask& task = entry->task;
  if (task.status != TaskStatus::InputRequired || answers == nullptr) {
    return true;
  }
  // Answers share ownership of the message that contains them.
  std::erase_if(task.requests, [&](const auto& item) {
    const auto& [key, request] = item;
    const Json* answer = find_member(*answers, key);
    if (answer == nullptr || !is_answer_to(*answer, request.method)) {
      return false;
    }
    entry->context.answer(entry->work_keys[key],
                          std::shared_ptr<const Json>(message.json, answer));
    return true;
  });
  task.updated = clock_.wall_time();
  if (!task.requests.empty()) return true;
  task.status = TaskStatus::Working;
  if (!workers_.post([this, entry] { run(entry); })) {
    task.status = TaskStatus::Failed;
    task.error = failure_object(
        {kInternalError, "The server is overloaded; try again later.", ""});
  }
  return true;
}

bool McpTasks::cancel(std::string_view id) {
  EntryPtr entry;
  {
    const std::lock_guard lock(mutex_);
    entry = find_entry(id);
  }
  if (entry == nullptr) return false;
  entry->context.request_cancel("The client cancelled the task.");
  finish(entry, TaskStatus::Cancelled, "The client cancelled the task.", "",
         "");
  return true;
}

}  // namespace lamarck::mcp
