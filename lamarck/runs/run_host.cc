#include "lamarck/runs/run_host.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "lamarck/base/entropy.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::runs {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::chrono::milliseconds kReapPeriod = 50ms;
constexpr std::size_t kPageOfRuns = 200;
constexpr std::uint64_t kMaxLog = std::uint64_t{1} << 20;
constexpr int kExecFailed = 127;
constexpr std::chrono::seconds kCheckTimeout{20};

// Starts the program with standard output and error in `log`. Between fork and
// exec only functions are called that are safe there.
int spawn(const std::string& program, const std::vector<std::string>& words,
          const std::string& log) {
  std::vector<const char*> arguments = {"lamarck"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  const int parent = getpid();
  const int file =
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int pid = fork();
  if (pid == 0) {
    // Ends with the parent, also if it is killed. It may have ended already.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kExecFailed);
    // A terminal sends Ctrl-C to the whole group; the parent decides.
    setpgid(0, 0);
    if (null >= 0) dup2(null, STDIN_FILENO);
    if (file >= 0) {
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    _exit(kExecFailed);
  }
  if (file >= 0) close(file);
  if (null >= 0) close(null);
  return pid;
}

// The last error message in the log of a child.
std::string last_message(const std::string& log) {
  const auto text = read_file(log, kMaxLog);
  if (!text) return "";
  const std::string mark = "lamarck: ";
  const std::size_t at = text->rfind(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return one_line(text->substr(begin, text->find('\n', begin) - begin), 300);
}

// The options of the request that the message names.
Error::Fields named_options(const RunRequest& request,
                            const std::string& message) {
  Error::Fields fields;
  for (const auto& [name, value] : request.options.items()) {
    std::string flag = "--" + name;
    std::ranges::replace(flag, '_', '-');
    const bool is_value =
        value.is_string() && name != "data" &&
        message.find(in_quotes(value.get<std::string>())) != std::string::npos;
    if (is_value || message.find(flag) != std::string::npos) {
      fields["options." + name] = message;
    }
  }
  return fields;
}

// Adds who has the run in its queue, so that another server of the same journal
// does not take it too.
Json with_own_process(Json payload) {
  const ProcessIdentity process = this_process();
  payload["pid"] = process.pid;
  payload["start"] = process.start;
  payload["host"] = process.host;
  return payload;
}

// "name" of "name/boot".
std::string_view machine_name(std::string_view host) {
  return host.substr(0, host.find('/'));
}

// A server of this machine that still runs, or one of another machine, if the
// journal is shared and the files of the run are not here. (The name of a
// container changes when it is started again.)
bool is_of_another_server(const RunView& run, const std::string& journal) {
  const ProcessIdentity& process = run.summary.process;
  if (process.host.empty()) return false;
  if (machine_name(process.host) != machine_name(this_process().host)) {
    std::error_code ignored;
    return store::is_postgres_url(journal) &&
           !std::filesystem::exists(run.summary.folder, ignored);
  }
  return run.state == kQueued && process.pid != this_process().pid &&
         find_liveness(process) == Liveness::Alive;
}

}  // namespace

RunHost::RunHost(RunHostOptions options, RunCatalog& catalog)
    : options_(std::move(options)),
      catalog_(catalog),
      thread_([this] { work(); }) {}

RunHost::~RunHost() { stop(); }

std::string RunHost::run_folder(const std::string& id) const {
  return (std::filesystem::path(options_.folder) / id).string();
}

std::string RunHost::log_file(const std::string& id) const {
  return run_folder(id) + ".log";
}

Result<void> RunHost::check_can_start() const {
  if (!options_.program.empty() && !options_.journal.empty()) return {};
  return Error(ErrorCode::FailedPrecondition,
               "Runs cannot be started here, because the journal is not in a "
               "file; restart the server with --db FILE.");
}

// The program itself checks the options and the table, so a wrong one has the
// same message everywhere and leaves no run behind.
Result<void> RunHost::check_words(const RunRequest& request,
                                  std::vector<std::string> words,
                                  const std::string& table) const {
  words.emplace_back("--check");
  words.emplace_back("--runs-record=off");
  const auto output =
      call_program(options_.program, words, "", kCheckTimeout, {});
  // A table that takes long to read is not an error.
  if (output || output.error().code() == ErrorCode::Timeout) return {};
  std::string message = output.error().message();
  if (!request.data.empty()) {
    for (std::size_t at = message.find(request.data); at != std::string::npos;
         at = message.find(request.data, at + table.size())) {
      message.replace(at, request.data.size(), table);
    }
  }
  return Error(ErrorCode::InvalidArgument, message,
               named_options(request, message));
}

Result<RunView> RunHost::start(const RunRequest& request,
                               const std::string& table) {
  RETURN_IF_ERROR(check_can_start());
  ASSIGN_OR_RETURN(std::vector<std::string> words, make_run_words(request));
  RETURN_IF_ERROR(check_words(request, words, table));
  RunStart start{.id = make_run_id(request.kind, entropy_seed()),
                 .kind = request.kind,
                 .goal = make_run_goal(request, table),
                 .options = request.options,
                 .starter = "server"};
  if (request.options.contains("seed")) {
    start.seed = request.options["seed"].get<std::uint64_t>();
  }
  start.folder = run_folder(start.id);
  std::error_code failure;
  std::filesystem::create_directories(options_.folder, failure);
  IdGenerator ids(catalog_.clock(), Rng(entropy_seed()));
  store::Append append = make_new_run(start, "evt_" + ids.next(),
                                      catalog_.clock().wall_time(), kQueued);
  // Stored, so that the run can start over after a crash.
  append.events.push_back(make_event(
      {.type = "note",
       .payload =
           with_own_process({{"text", "Waiting to start."}, {"words", words}})},
      "evt_" + ids.next(), catalog_.clock().wall_time()));
  RETURN_IF_ERROR(catalog_.journal().append(std::move(append)));
  queue({.run = start.id, .words = std::move(words)});
  return catalog_.find(start.id);
}

Result<std::vector<std::string>> RunHost::words_for(const RunView& run) const {
  std::vector<std::string> words = make_resume_words(run.summary);
  if (!words.empty()) return words;
  ASSIGN_OR_RETURN(const auto events, catalog_.journal().events(run.id, 0, 5));
  for (const store::Event& event : events) {
    const Json payload = event_payload(event);
    if (event.type != "note" || !payload.contains("words")) continue;
    for (const Json& word : payload["words"]) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
    return words;
  }
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("{} cannot be resumed here, because its folder has "
                           "no run; start it again.",
                           run.id));
}

Result<RunView> RunHost::resume(const RunView& run) {
  RETURN_IF_ERROR(check_can_start());
  if (!run.can_resume() && run.state != kQueued) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("Only an interrupted or dead run can be resumed; "
                             "{} is {}.",
                             run.id, run.state));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> words, words_for(run));
  RETURN_IF_ERROR(append_to_run(
      catalog_, run.id,
      {.type = "queued", .payload = with_own_process(Json::object())},
      std::string(kQueued)));
  queue({.run = run.id, .words = std::move(words)});
  return catalog_.find(run.id);
}

Result<std::size_t> RunHost::resume_unfinished() {
  std::size_t count = 0;
  if (!check_can_start()) return count;
  std::vector<RunView> unfinished;
  store::RunFilter filter{.limit = kPageOfRuns};
  while (true) {
    ASSIGN_OR_RETURN(const auto runs, catalog_.journal().runs(filter));
    for (const store::Run& run : runs) {
      // The state in the list is enough to skip most runs.
      if (!is_evolving_kind(run.kind) || run.state == kDone ||
          run.state == kFailed || run.state == kRemoved) {
        continue;
      }
      ASSIGN_OR_RETURN(RunView view, catalog_.find(run.id));
      const bool is_unfinished = view.state == kQueued || view.can_resume();
      if (view.summary.starter == "server" && is_unfinished &&
          !view.summary.is_stop_wanted &&
          !is_of_another_server(view, options_.journal)) {
        unfinished.push_back(std::move(view));
      }
    }
    if (runs.size() < filter.limit) break;
    filter.after = runs.back().id;
  }
  // Oldest first, as they were started.
  for (auto run = unfinished.rbegin(); run != unfinished.rend(); ++run) {
    if (resume(*run)) ++count;
  }
  return count;
}

void RunHost::queue(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
}

std::size_t RunHost::running_count() {
  const std::lock_guard lock(mutex_);
  return children_.size();
}

void RunHost::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// ---- The thread.

void RunHost::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (is_stopping_) {
      for (auto& [run, child] : children_) {
        if (!std::exchange(child.is_signalled, true)) kill(child.pid, SIGTERM);
      }
      if (children_.empty()) return;
    } else {
      start_next(lock);
    }
    if (children_.empty()) {
      changed_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
    } else {
      changed_.wait_for(lock, kReapPeriod);
      reap(lock);
    }
  }
}

void RunHost::start_next(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty() && children_.size() < options_.parallel) {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const auto run = catalog_.find(job.run);
    // A run that was stopped or removed while it waited does not start.
    const bool is_wanted = run && run->state == kQueued;
    int pid = 0;
    if (is_wanted) {
      std::vector<std::string> words = job.words;
      if (words.size() < 3 || !words[2].starts_with("--resume=")) {
        words.push_back("--out=" + run_folder(job.run));
        words.push_back("--force");
      }
      words.push_back("--db=" + options_.journal);
      words.push_back("--run-id=" + job.run);
      words.push_back("--json");
      words.push_back("--progress=none");
      pid = spawn(options_.program, words, log_file(job.run));
    }
    if (is_wanted && pid <= 0) {
      record_failure(job.run, "The process of the run could not be started.");
    }
    lock.lock();
    if (pid > 0) {
      const std::string id = job.run;
      children_[id] = {.job = std::move(job), .pid = pid};
    }
  }
}

void RunHost::reap(std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<std::string, int>> ended;
  for (auto& [run, child] : children_) {
    int status = 0;
    const int done = waitpid(child.pid, &status, WNOHANG);
    if (done == child.pid || (done < 0 && errno == ECHILD)) {
      ended.emplace_back(run, status);
    }
  }
  for (const auto& [run, status] : ended) children_.erase(run);
  lock.unlock();
  for (const auto& [run, status] : ended) settle(run, status);
  lock.lock();
}

// A child that failed before it recorded anything left only a message.
void RunHost::settle(const std::string& run, int status) {
  const auto view = catalog_.find(run);
  if (!view || view->summary.is_over()) return;
  const bool is_killed = WIFSIGNALED(status);
  // A child that was killed can be resumed.
  if (is_killed && view->summary.state != kQueued) return;
  std::string message = last_message(log_file(run));
  if (message.empty()) {
    message = WIFEXITED(status) ? fmt::format("The process ended with code {}.",
                                              WEXITSTATUS(status))
                                : "The process was killed.";
  }
  // The message names the table by its path, which clients need not know.
  const std::size_t place = message.find(options_.folder);
  const std::size_t end = message.find(": ", place);
  if (place != std::string::npos && end != std::string::npos) {
    message.erase(place, end + 2 - place);
  }
  // Stopped before it recorded itself: it waits for the next host.
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
  }
  record_failure(run, message);
}

void RunHost::record_failure(const std::string& run,
                             const std::string& message) {
  (void)append_to_run(catalog_, run,
                      {.type = "ended",
                       .payload = {{"state", kFailed},
                                   {"message", message},
                                   {"result", nullptr}}},
                      std::string(kFailed));
}

}  // namespace lamarck::runs
