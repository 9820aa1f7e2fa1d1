#include "lamarck/sandbox/process_sandbox.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/sandbox/internal/box_root.h"
#include "lamarck/sandbox/internal/box_run.h"
#include "lamarck/sandbox/internal/box_walls.h"
#include "lamarck/sandbox/internal/landlock.h"
#include "lamarck/sandbox/internal/private_folder.h"

namespace lamarck {
namespace {

using internal::BoxMountKind;
using internal::BoxOutcome;
using internal::BoxReport;
using internal::BoxRequest;
using internal::BoxStage;
using internal::BoxWalls;
using internal::PrivateFolder;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string stage_text(const BoxReport& failure, const BoxWalls& walls,
                       const SandboxJob& job) {
  const auto detail = static_cast<std::size_t>(failure.detail);
  switch (failure.stage) {
    case BoxStage::Identity:
      return "taking a user of its own";
    case BoxStage::Mounts:
      return detail == 0 || detail > walls.mounts.size()
                 ? "mounting a private root"
                 : "showing " + walls.mounts[detail - 1].source;
    case BoxStage::Root:
      return "entering the private root";
    case BoxStage::Files:
    case BoxStage::Folder:
      return "writing the job's files";
    case BoxStage::Fork:
      return "making the program's process";
    case BoxStage::Streams:
      return "connecting its streams";
    case BoxStage::Limits:
      return "setting limits";
    case BoxStage::NoNewPrivileges:
      return "no_new_privs";
    case BoxStage::Landlock:
      return "landlock";
    case BoxStage::Seccomp:
      return "seccomp";
    case BoxStage::Execute:
      return "executing " + job.command[0];
    default:
      return "starting";
  }
}

Error build_error(const BoxReport& failure, const BoxWalls& walls,
                  const SandboxJob& job) {
  const bool is_command = failure.stage == BoxStage::Execute;
  return Error(is_command ? ErrorCode::InvalidArgument : ErrorCode::Unavailable,
               fmt::format("Cannot start a sandbox: {}: {}.",
                           stage_text(failure, walls, job),
                           std::strerror(failure.error)));
}

// What programs say last when a limit made them fail in their own way.
struct LastWords {
  std::string_view words;
  SandboxReason reason;
};
constexpr std::array kLastWords = {
    LastWords{"MemoryError", SandboxReason::OutOfMemory},
    LastWords{"std::bad_alloc", SandboxReason::OutOfMemory},
    LastWords{"Cannot allocate memory", SandboxReason::OutOfMemory},
    LastWords{"File too large", SandboxReason::FileTooLarge},
    LastWords{"No space left on device", SandboxReason::FileTooLarge},
    LastWords{"Resource temporarily unavailable",
              SandboxReason::TooManyProcesses},
    LastWords{"can't start new thread", SandboxReason::TooManyProcesses},
    LastWords{"Cannot fork", SandboxReason::TooManyProcesses},
};

std::optional<SandboxReason> reason_in_words(std::string_view errors) {
  constexpr std::size_t kTail = 400;
  if (errors.size() > kTail) errors.remove_prefix(errors.size() - kTail);
  for (const LastWords& entry : kLastWords) {
    if (errors.find(entry.words) != std::string_view::npos) {
      return entry.reason;
    }
  }
  return std::nullopt;
}

std::optional<SandboxReason> reason_of_signal(int signal,
                                              const BoxReport& report,
                                              const SandboxLimits& limits) {
  const bool has_used_up =
      report.cpu_microseconds >=
      static_cast<std::int64_t>(limits.cpu_seconds) * 1'000'000;
  if (signal == SIGXCPU || (signal == SIGKILL && has_used_up)) {
    return SandboxReason::OutOfCpuTime;
  }
  if (signal == SIGSYS) return SandboxReason::ForbiddenCall;
  if (signal == SIGXFSZ) return SandboxReason::FileTooLarge;
  return std::nullopt;
}

SandboxReason reason_of(const BoxOutcome& outcome,
                        const SandboxLimits& limits) {
  const BoxReport& report = outcome.report;
  if (outcome.was_cancelled) return SandboxReason::Cancelled;
  if (outcome.has_too_much_output) return SandboxReason::TooMuchOutput;
  const int status = report.wait_status;
  const bool was_stopped = report.has_timed_out || outcome.was_stuck;
  if (!was_stopped && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return SandboxReason::Exited;
  }
  if (limits.processes > 1 &&
      static_cast<std::uint64_t>(report.last_processes) >= limits.processes) {
    return SandboxReason::TooManyProcesses;
  }
  if (was_stopped) return SandboxReason::TimedOut;
  const bool is_signalled = WIFSIGNALED(status);
  if (is_signalled) {
    const auto reason = reason_of_signal(WTERMSIG(status), report, limits);
    if (reason) return *reason;
  }
  const auto told = reason_in_words(outcome.errors);
  if (told) return *told;
  return is_signalled ? SandboxReason::Signalled : SandboxReason::Exited;
}

SandboxUsage usage_of(const BoxOutcome& outcome) {
  SandboxUsage usage{
      .wall = std::chrono::microseconds(outcome.report.wall_microseconds),
      .cpu = std::chrono::microseconds(outcome.report.cpu_microseconds)};
  if (outcome.report.peak_kilobytes > outcome.start_kilobytes) {
    usage.peak_memory_bytes =
        static_cast<std::uint64_t>(outcome.report.peak_kilobytes) << 10;
  }
  return usage;
}

SandboxOutcome sandbox_outcome(BoxOutcome outcome, const SandboxJob& job,
                               std::vector<std::string> layers) {
  const int status = outcome.report.wait_status;
  SandboxOutcome made{.reason = reason_of(outcome, job.limits),
                      .usage = usage_of(outcome),
                      .layers = std::move(layers)};
  if (WIFEXITED(status)) made.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) made.signal = WTERMSIG(status);
  made.output = std::move(outcome.output);
  made.errors = std::move(outcome.errors);
  made.result = std::move(outcome.result);
  return made;
}

std::string join(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Whether a trial of the walls went wrong, and where.
struct Trial {
  BoxStage stage = BoxStage::Done;
  std::string detail;
};

}  // namespace

struct ProcessSandbox::State {
  BoxWalls walls;
  std::optional<PrivateFolder> mount_point;
  std::vector<std::string> layers;
  std::vector<MissingLayer> missing;

  Result<BoxOutcome> run(const SandboxJob& job,
                         const CancelToken& cancel) const {
    if (walls.has_namespaces) {
      return internal::run_box_request(internal::box_request(walls, job, ""),
                                       cancel);
    }
    ASSIGN_OR_RETURN(const PrivateFolder folder, PrivateFolder::make());
    BoxRequest request = internal::box_request(walls, job, folder.path());
    if (job.is_read_only) {
      folder.show();
    } else if (walls.has_own_user) {
      if (const int error = folder.give_to(request.outside_user)) {
        return BoxOutcome{
            .failure = BoxReport{.stage = BoxStage::Identity, .error = error}};
      }
    }
    return internal::run_box_request(std::move(request), cancel);
  }

  Trial try_walls() const {
    const SandboxJob nothing;
    const auto outcome = run(nothing, {});
    if (!outcome) return {BoxStage::Mounts, outcome.error().message()};
    if (outcome->failure) {
      return {outcome->failure->stage,
              stage_text(*outcome->failure, walls, nothing) + ": " +
                  std::strerror(outcome->failure->error)};
    }
    if (outcome->was_stuck) return {BoxStage::Mounts, "it did not answer"};
    return {};
  }

  void lack(std::string name, std::string detail) {
    missing.push_back({std::move(name), std::move(detail)});
  }

  // Takes down the wall that could not be built. Returns false if without it
  // there is none of this kind left to try.
  bool take_down(const Trial& trial) {
    if (trial.stage == BoxStage::Landlock && walls.landlock_version > 0) {
      walls.landlock_version = 0;
      lack("landlock", trial.detail);
      return true;
    }
    if (trial.stage == BoxStage::Seccomp && walls.has_seccomp) {
      walls.has_seccomp = false;
      lack("seccomp", trial.detail);
      return true;
    }
    if (trial.stage == BoxStage::Identity && walls.has_own_user) {
      walls.has_own_user = false;
      lack("own_user", trial.detail);
      return true;
    }
    return false;
  }

  // What fails with these namespaces, after all walls that can be left out.
  Trial build(bool has_namespaces, bool has_user_namespace) {
    walls.has_namespaces = has_namespaces;
    walls.has_user_namespace = has_user_namespace;
    Trial trial = try_walls();
    while (trial.stage != BoxStage::Done && take_down(trial)) {
      trial = try_walls();
    }
    return trial;
  }

  Result<void> choose(const ProcessSandboxOptions& options) {
    const bool is_root = geteuid() == 0;
    const auto wants = [&](const char* name) {
      const bool is_wanted = !contains(options.without, name);
      if (!is_wanted) lack(name, "not wanted");
      return is_wanted;
    };
    walls.mounts = internal::root_mounts(options.readable);
    walls.has_seccomp = wants("seccomp");
    walls.has_own_user = is_root && wants("own_user");
    if (!is_root) lack("own_user", "only root can give it one");
    if (wants("landlock")) {
      walls.landlock_version = internal::landlock_version();
      if (walls.landlock_version == 0) lack("landlock", "not in this kernel");
    }
    if (wants("namespaces")) {
      const BoxWalls whole = walls;
      Trial trial{BoxStage::Mounts, "not wanted"};
      if (!contains(options.without, "user_namespace")) {
        trial = build(true, true);
        if (trial.stage == BoxStage::Done) return {};
        walls = whole;
      }
      if (is_root && build(true, false).stage == BoxStage::Done) return {};
      walls = whole;
      lack("namespaces", trial.detail);
    }
    const Trial trial = build(false, false);
    if (trial.stage == BoxStage::Done) return {};
    return Error(ErrorCode::Unavailable,
                 "Cannot start a sandbox: " + trial.detail + ".");
  }

  Result<void> check(const ProcessSandboxOptions& options) const {
    std::vector<std::string> wanted;
    for (const std::string& name : options.required) {
      if (!contains(layers, name)) wanted.push_back(name);
    }
    if (options.requires_hidden_files && !contains(layers, "namespaces") &&
        !contains(layers, "landlock")) {
      wanted.emplace_back("namespaces or landlock");
    }
    if (options.requires_process_limit && internal::is_real_root() &&
        !contains(layers, "own_user") && !contains(wanted, "own_user")) {
      wanted.emplace_back("own_user");
    }
    if (wanted.empty()) return {};
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("Programs are not run on this machine because the sandbox "
                    "would lack {}; it has {}, and `lamarck doctor` says why.",
                    join(wanted), join(layers)));
  }
};

ProcessSandbox::ProcessSandbox(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

ProcessSandbox::~ProcessSandbox() = default;

Result<std::unique_ptr<ProcessSandbox>> ProcessSandbox::open(
    const ProcessSandboxOptions& options) {
  auto state = std::make_unique<State>();
  ASSIGN_OR_RETURN(PrivateFolder mount_point, PrivateFolder::make());
  state->mount_point.emplace(std::move(mount_point));
  state->walls.mount_point = state->mount_point->path();
  RETURN_IF_ERROR(state->choose(options));
  state->layers = internal::layer_names(state->walls);
  RETURN_IF_ERROR(state->check(options));
  return std::unique_ptr<ProcessSandbox>(new ProcessSandbox(std::move(state)));
}

const std::vector<std::string>& ProcessSandbox::layers() const {
  return state_->layers;
}

const std::vector<ProcessSandbox::MissingLayer>&
ProcessSandbox::missing_layers() const {
  return state_->missing;
}

Result<SandboxOutcome> ProcessSandbox::run(const SandboxJob& job,
                                           const CancelToken& cancel) const {
  RETURN_IF_ERROR(internal::check_job(job));
  ASSIGN_OR_RETURN(BoxOutcome outcome, state_->run(job, cancel));
  if (outcome.failure) {
    return build_error(*outcome.failure, state_->walls, job);
  }
  return sandbox_outcome(std::move(outcome), job, state_->layers);
}

}  // namespace lamarck
