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
      return "switching to its own user";
    case BoxStage::Mounts:
      return detail == 0 || detail > walls.mounts.size()
                 ? "mounting a private root"
                 : "mounting " + walls.mounts[detail - 1].source;
    case BoxStage::Root:
      return "entering the private root";
    case BoxStage::Files:
    case BoxStage::Folder:
      return "writing the job's files";
    case BoxStage::Fork:
      return "creating the program's process";
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

// Error texts by which programs reveal that they failed because of a limit.
struct ErrorHint {
  std::string_view text;
  SandboxReason reason;
};
constexpr std::array kErrorHints = {
    ErrorHint{"MemoryError", SandboxReason::OutOfMemory},
    ErrorHint{"std::bad_alloc", SandboxReason::OutOfMemory},
    ErrorHint{"Cannot allocate memory", SandboxReason::OutOfMemory},
    ErrorHint{"File too large", SandboxReason::FileTooLarge},
    ErrorHint{"No space left on device", SandboxReason::FileTooLarge},
    ErrorHint{"Resource temporarily unavailable",
              SandboxReason::TooManyProcesses},
    ErrorHint{"can't start new thread", SandboxReason::TooManyProcesses},
    ErrorHint{"Cannot fork", SandboxReason::TooManyProcesses},
};

std::optional<SandboxReason> reason_from_errors(std::string_view errors) {
  constexpr std::size_t kTail = 400;
  if (errors.size() > kTail) errors.remove_prefix(errors.size() - kTail);
  for (const ErrorHint& entry : kErrorHints) {
    if (errors.find(entry.text) != std::string_view::npos) {
      return entry.reason;
    }
  }
  return std::nullopt;
}

std::optional<SandboxReason> reason_from_signal(int signal,
                                                const BoxReport& report,
                                                const SandboxLimits& limits) {
  const bool is_over_limit =
      report.cpu_microseconds >=
      static_cast<std::int64_t>(limits.cpu_seconds) * 1'000'000;
  if (signal == SIGXCPU || (signal == SIGKILL && is_over_limit)) {
    return SandboxReason::OutOfCpuTime;
  }
  if (signal == SIGSYS) return SandboxReason::ForbiddenCall;
  if (signal == SIGXFSZ) return SandboxReason::FileTooLarge;
  return std::nullopt;
}

SandboxReason find_reason(const BoxOutcome& outcome,
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
    const auto reason = reason_from_signal(WTERMSIG(status), report, limits);
    if (reason) return *reason;
  }
  const auto hinted = reason_from_errors(outcome.errors);
  if (hinted) return *hinted;
  return is_signalled ? SandboxReason::Signalled : SandboxReason::Exited;
}

SandboxUsage to_usage(const BoxOutcome& outcome) {
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
  SandboxOutcome converted{.reason = find_reason(outcome, job.limits),
                           .usage = to_usage(outcome),
                           .layers = std::move(layers)};
  if (WIFEXITED(status)) converted.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) converted.signal = WTERMSIG(status);
  converted.output = std::move(outcome.output);
  converted.errors = std::move(outcome.errors);
  converted.result = std::move(outcome.result);
  return converted;
}

std::string join(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// The result of testing the layers: where and why it failed.
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
    if (outcome->was_stuck) return {BoxStage::Mounts, "it did not respond"};
    return {};
  }

  void add_missing(std::string name, std::string detail) {
    missing.push_back({std::move(name), std::move(detail)});
  }

  // Removes the optional layer that failed. Returns false if the failed step is
  // not an optional layer.
  bool remove_layer(const Trial& trial) {
    if (trial.stage == BoxStage::Landlock && walls.landlock_version > 0) {
      walls.landlock_version = 0;
      add_missing("landlock", trial.detail);
      return true;
    }
    if (trial.stage == BoxStage::Seccomp && walls.has_seccomp) {
      walls.has_seccomp = false;
      add_missing("seccomp", trial.detail);
      return true;
    }
    if (trial.stage == BoxStage::Identity && walls.has_own_user) {
      walls.has_own_user = false;
      add_missing("own_user", trial.detail);
      return true;
    }
    return false;
  }

  // Tests the layers with the given namespaces and removes those that fail.
  // Returns the failure that remains.
  Trial build(bool has_namespaces, bool has_user_namespace) {
    walls.has_namespaces = has_namespaces;
    walls.has_user_namespace = has_user_namespace;
    Trial trial = try_walls();
    while (trial.stage != BoxStage::Done && remove_layer(trial)) {
      trial = try_walls();
    }
    return trial;
  }

  Result<void> choose(const ProcessSandboxOptions& options) {
    const bool is_root = geteuid() == 0;
    const auto wants = [&](const char* name) {
      const bool is_wanted = !contains(options.without, name);
      if (!is_wanted) add_missing(name, "disabled");
      return is_wanted;
    };
    walls.mounts = internal::root_mounts(options.readable);
    walls.has_seccomp = wants("seccomp");
    walls.has_own_user = is_root && wants("own_user");
    if (!is_root) add_missing("own_user", "available to root only");
    if (wants("landlock")) {
      walls.landlock_version = internal::landlock_version();
      if (walls.landlock_version == 0) {
        add_missing("landlock", "not supported by this kernel");
      }
    }
    if (wants("namespaces")) {
      const BoxWalls all_layers = walls;
      Trial trial{BoxStage::Mounts, "disabled"};
      if (!contains(options.without, "user_namespace")) {
        trial = build(true, true);
        if (trial.stage == BoxStage::Done) return {};
        walls = all_layers;
      }
      if (is_root && build(true, false).stage == BoxStage::Done) return {};
      walls = all_layers;
      add_missing("namespaces", trial.detail);
    }
    const Trial trial = build(false, false);
    if (trial.stage == BoxStage::Done) return {};
    return Error(ErrorCode::Unavailable,
                 "Cannot start a sandbox: " + trial.detail + ".");
  }

  Result<void> check(const ProcessSandboxOptions& options) const {
    std::vector<std::string> lacking;
    for (const std::string& name : options.required) {
      if (!contains(layers, name)) lacking.push_back(name);
    }
    if (options.requires_hidden_files && !contains(layers, "namespaces") &&
        !contains(layers, "landlock")) {
      lacking.emplace_back("namespaces or landlock");
    }
    if (options.requires_process_limit && internal::is_real_root() &&
        !contains(layers, "own_user") && !contains(lacking, "own_user")) {
      lacking.emplace_back("own_user");
    }
    if (lacking.empty()) return {};
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("Cannot run programs on this machine: the sandbox lacks {} "
                    "(it has {}). Run `lamarck doctor` for details.",
                    join(lacking), join(layers)));
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
