#include "lamarck/server/agents/agent_service.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_plan.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/file.h"
#include "lamarck/base/id.h"
#include "lamarck/base/log.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/run_agent_tools.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_process.h"
#include "lamarck/server/internal/tool_arguments.h"

namespace lamarck::server {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultSteps = 100;
constexpr std::size_t kMaxFiles = 1'000;
constexpr std::uint64_t kMaxUpload = std::uint64_t{64} << 20;
constexpr std::size_t kTaskPage = 200;
constexpr const char* kStopping = "The server is stopping.";

BudgetLimits limits_of(const Json& request) {
  BudgetLimits limits;
  limits.evaluations = get_count(request, "steps", kDefaultSteps);
  if (request.contains("tokens")) {
    limits.tokens = get_count(request, "tokens", 0);
  }
  if (request.contains("seconds")) {
    limits.wall_time = std::chrono::seconds(get_count(request, "seconds", 0));
  }
  return limits;
}

Result<std::optional<agent::AgentPlan>> plan_of(const Json& request) {
  const auto given = request.find("plan");
  if (given == request.end() || given->is_null()) {
    return std::optional<agent::AgentPlan>();
  }
  auto plan = agent::parse_agent_plan(*given);
  if (!plan) {
    return Error(plan.error().code(), plan.error().message(),
                 {{"plan", plan.error().message()}});
  }
  return std::optional(std::move(*plan));
}

bool is_in_other_process(const Json& process) {
  if (!process.is_object()) return false;
  const runs::ProcessIdentity found{
      .pid = process.value("pid", std::int64_t{0}),
      .start = process.value("start", std::uint64_t{0}),
      .host = process.value("host", "")};
  return !(found == runs::this_process()) &&
         runs::find_liveness(found) != runs::Liveness::Dead;
}

// A file name for a header: an agent chose it.
std::string header_name(std::string name) {
  for (char& c : name) {
    const bool is_plain = static_cast<unsigned char>(c) >= ' ' && c != '"' &&
                          c != '\\' && c != '\x7f';
    if (!is_plain) c = '_';
  }
  return name;
}

Error has_ended(const std::string& id) {
  return {ErrorCode::FailedPrecondition,
          "The task " + id + " has ended; send a message to continue from it."};
}

}  // namespace

AgentService::AgentService(AgentServiceOptions options, AgentServices services)
    : options_(std::move(options)),
      services_(std::move(services)),
      uploads_(options_.journal.empty()
                   ? ""
                   : runs::runs_folder(options_.journal, options_.data_folder) +
                         "/uploads"),
      queue_(options_.parallel,
             [this](const std::string& id, const CancelToken& cancel) {
               work(id, cancel);
             }) {
  if (!options_.resumes || options_.journal.empty()) return;
  const auto resumed = resume_unfinished();
  if (!resumed) log_warning(resumed.error().message());
}

AgentService::~AgentService() { stop(); }

Result<void> AgentService::check_can_start() const {
  if (!options_.journal.empty()) return {};
  return Error(ErrorCode::FailedPrecondition,
               "Tasks cannot be started here, because the journal is not in a "
               "file; restart the server with --db FILE.");
}

Result<agent::AgentRun> AgentService::find(const std::string& id) {
  store::Journal& journal = services_.thoughts.journal();
  const auto stored = journal.run(id);
  if (!stored || stored->kind != agent::kAgentRunKind) {
    return Error(ErrorCode::NotFound,
                 "There is no task with the id " + in_quotes(id) + ".");
  }
  ASSIGN_OR_RETURN(const auto events, journal.events(id));
  return agent::fold_agent_run(id, events);
}

Result<agent::AgentRun> AgentService::find_own(const std::string& id) {
  ASSIGN_OR_RETURN(agent::AgentRun run, find(id));
  if (!run.parent.empty()) {
    return Error(
        ErrorCode::FailedPrecondition,
        "The task " + id + " is a part of " + run.parent + "; use that one.");
  }
  if (run.starter == "server") return run;
  return Error(ErrorCode::FailedPrecondition,
               "The task " + id +
                   " was started on the command line; continue it with "
                   "`lamarck agent run --resume " +
                   id + "`.");
}

Result<std::string> AgentService::make_workspace() {
  IdGenerator ids(services_.clock, Rng(entropy_seed()));
  const fs::path folder =
      fs::path(runs::runs_folder(options_.journal, options_.data_folder)) /
      "agents" / ids.next();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return folder.string();
  return Error(ErrorCode::IoFailed,
               "The folder " + folder.string() +
                   " cannot be created: " + failure.message() + ".");
}

// Copies uploads into the workspace. The task names them, so that a model knows
// of them.
Result<void> AgentService::add_files(const agent::Workspace& workspace,
                                     const Json& files,
                                     std::string& task) const {
  for (const Json& id : files) {
    ASSIGN_OR_RETURN(const auto upload, uploads_.find(id.get<std::string>()));
    ASSIGN_OR_RETURN(const std::string bytes,
                     read_file(upload.path, kMaxUpload));
    const std::string name = fs::path(upload.name).filename().string();
    RETURN_IF_ERROR(workspace.write(name, bytes));
    if (task.find(name) == std::string::npos) task += "\nFile: " + name;
  }
  return {};
}

Result<std::string> AgentService::begin(const Json& request,
                                        const Conversation& talk) {
  ASSIGN_OR_RETURN(const auto plan, plan_of(request));
  ASSIGN_OR_RETURN(const auto kit,
                   AgentKit::open(options_, services_,
                                  get_text(request, "agent", kDefaultAgent),
                                  talk.workspace));
  std::string task = get_text(request, "task");
  RETURN_IF_ERROR(
      add_files(kit->workspace(), request.value("files", Json::array()), task));
  agent::AgentRunnerOptions options = kit->runner_options();
  options.limits = limits_of(request);
  options.previous = talk.previous;
  options.history = talk.history;
  agent::AgentRunner runner = kit->make_runner(std::move(options));
  ASSIGN_OR_RETURN(const agent::AgentRun run, runner.begin(task, plan, {}));
  queue_.add(run.id);
  return run.id;
}

Result<std::string> AgentService::start(const Json& request) {
  RETURN_IF_ERROR(check_can_start());
  Conversation talk;
  ASSIGN_OR_RETURN(talk.workspace, make_workspace());
  auto id = begin(request, talk);
  if (!id) {
    std::error_code ignored;
    fs::remove_all(talk.workspace, ignored);
  }
  return id;
}

Result<std::string> AgentService::send(const std::string& id,
                                       const Json& request) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const agent::AgentRun run, find_own(id));
  if (run.state != agent::AgentState::End) {
    return Error(ErrorCode::FailedPrecondition,
                 "The task " + id +
                     " has not ended; wait for it, or stop it and start a new "
                     "one.");
  }
  Conversation talk{
      .workspace = run.workspace, .previous = id, .history = run.history};
  talk.history.push_back({{"role", "user"}, {"content", run.task}});
  talk.history.push_back({{"role", "assistant"}, {"content", run.answer}});
  Json message = request;
  if (!message.contains("agent")) message["agent"] = run.agent_name;
  ASSIGN_OR_RETURN(const std::string next, begin(message, talk));
  RETURN_IF_ERROR(make_recorder(services_).link_next(id, next));
  return next;
}

Result<void> AgentService::answer(const std::string& id,
                                  const agent::PermissionAnswer& given) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(find_own(id));
  RETURN_IF_ERROR(make_recorder(services_).answer(id, given));
  queue_.add(id);
  return {};
}

Result<void> AgentService::stop_task(const std::string& id,
                                     const std::string& by) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const agent::AgentRun run, find_own(id));
  if (run.state == agent::AgentState::End) return has_ended(id);
  const std::string reason = "Stopped by " + by + ".";
  if (queue_.cancel(id, reason) == TaskQueue::Found::Working) return {};
  if (!run.stop_message.empty()) return {};
  RETURN_IF_ERROR(
      make_recorder(services_).stop(id, Error(ErrorCode::Cancelled, reason)));
  return {};
}

Result<void> AgentService::resume(const std::string& id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const agent::AgentRun run, find_own(id));
  if (run.state == agent::AgentState::End) return has_ended(id);
  if (run.question) {
    return Error(
        ErrorCode::FailedPrecondition,
        "The task " + id + " waits for a permission; answer its question.");
  }
  if (queue_.contains(id) || is_in_other_process(run.process)) {
    return Error(ErrorCode::FailedPrecondition,
                 "The task " + id + " is being worked on.");
  }
  RETURN_IF_ERROR(make_recorder(services_).queue(id));
  queue_.add(id);
  return {};
}

Result<void> AgentService::resume_unfinished() {
  std::vector<std::string> unfinished;
  for (const char* state : {"queued", "running"}) {
    store::RunFilter filter{.kind = std::string(agent::kAgentRunKind),
                            .state = state,
                            .limit = kTaskPage};
    while (true) {
      ASSIGN_OR_RETURN(const auto found,
                       services_.thoughts.journal().runs(filter));
      for (const store::Run& run : found) unfinished.push_back(run.id);
      if (found.size() < filter.limit) break;
      filter.after = found.back().id;
    }
  }
  for (auto id = unfinished.rbegin(); id != unfinished.rend(); ++id) {
    const auto run = find_own(*id);
    if (!run || is_in_other_process(run->process)) continue;
    queue_.add(*id);
  }
  return {};
}

void AgentService::work(const std::string& id, const CancelToken& cancel) {
  const auto outcome = [&]() -> Result<void> {
    ASSIGN_OR_RETURN(const agent::AgentRun run, find(id));
    auto kit =
        AgentKit::open(options_, services_, run.agent_name, run.workspace);
    if (!kit) {
      RETURN_IF_ERROR(make_recorder(services_).stop(id, kit.error()));
      return kit.error();
    }
    agent::AgentRunnerOptions options = (*kit)->runner_options();
    options.limits = run.limits;
    agent::AgentRunner runner = (*kit)->make_runner(std::move(options));
    RETURN_IF_ERROR(runner.resume(id, cancel));
    return {};
  }();
  if (outcome) return;
  if (cancel.is_cancelled() && cancel.reason() == kStopping) {
    // For the next server.
    const auto queued = make_recorder(services_).queue(id);
    if (!queued) log_warning(queued.error().message());
  } else if (!cancel.is_cancelled()) {
    log_warning("The task " + id + " stopped: " + outcome.error().message());
  }
}

Result<Json> AgentService::setup() {
  Json shown = {
      {"can_start", check_can_start().has_value()},
      {"model", options_.model ? Json(options_.model->name()) : Json()},
      {"message", ""},
      {"agents", Json::array()},
      {"tools", Json::array()}};
  if (const auto can = check_can_start(); !can) {
    shown["message"] = can.error().message();
    return shown;
  }
  if (!options_.model) {
    shown["message"] =
        "This server has no language model, so a task needs a plan, or an "
        "approved skill that fits it. For a model, start the server with "
        "--llm-base-url and --llm-model.";
  }
  ASSIGN_OR_RETURN(const auto agents,
                   services_.skills.store().agents(services_.org));
  bool has_default = false;
  for (const skills::AgentRecord& each : agents) {
    has_default = has_default || each.name == kDefaultAgent;
    shown["agents"].push_back(each.name);
  }
  if (!has_default) shown["agents"].push_back(kDefaultAgent);
  const std::string folder =
      runs::runs_folder(options_.journal, options_.data_folder) + "/agents";
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  ASSIGN_OR_RETURN(
      const auto kit,
      AgentKit::open(options_, services_, std::string(kDefaultAgent), folder));
  for (const agent::Tool* tool : kit->tools().tools()) {
    Json needs = Json::array();
    for (const skills::CapabilityEntry& entry : skills::capabilities()) {
      if (entry.is_dangerous && tool->info.capabilities.has(entry.capability)) {
        needs.push_back(entry.name);
      }
    }
    shown["tools"].push_back({{"name", tool->info.name},
                              {"description", tool->info.description},
                              {"needs", std::move(needs)}});
  }
  return shown;
}

Result<Json> AgentService::files(const std::string& id) {
  ASSIGN_OR_RETURN(const agent::AgentRun run, find(id));
  Json items = Json::array();
  // Other folders may be anywhere on this machine.
  if (run.starter != "server") return Json{{"items", std::move(items)}};
  ASSIGN_OR_RETURN(const auto workspace, agent::Workspace::open(run.workspace));
  ASSIGN_OR_RETURN(const auto entries, workspace->list("", true, kMaxFiles));
  for (const agent::WorkspaceEntry& entry : entries) {
    if (entry.is_folder) continue;
    items.push_back({{"path", entry.path}, {"bytes", entry.size_bytes}});
  }
  return Json{{"items", std::move(items)}};
}

Result<Json> AgentService::file(const std::string& id,
                                const std::string& path) {
  ASSIGN_OR_RETURN(const Json listed, files(id));
  // Only names that the list contains, so no path can leave the workspace.
  for (const Json& item : listed["items"]) {
    if (item["path"] != path) continue;
    ASSIGN_OR_RETURN(const agent::AgentRun run, find(id));
    const fs::path found = fs::path(run.workspace) / path;
    return Json{{"path", found.string()},
                {"type", runs::media_type(path)},
                {"name", header_name(found.filename().string())}};
  }
  return Error(ErrorCode::NotFound,
               "The task " + id + " has no file " + in_quotes(path) + ".");
}

void AgentService::stop() { queue_.stop(kStopping); }

}  // namespace lamarck::server
