#include "lamarck/sandbox/internal/box_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <linux/capability.h>
#include <linux/seccomp.h>

#include "lamarck/sandbox/internal/landlock.h"
#include "lamarck/sandbox/internal/raw_call.h"

namespace lamarck::internal {
namespace {

constexpr unsigned int kCloseOnExec = 4;
constexpr int kSignals = 64;

[[noreturn]] void fail_and_exit(const BoxSetup& setup, BoxStage stage,
                                int error) {
  const BoxReport report{.stage = stage, .error = error};
  raw_call(SYS_write, setup.report, &report, sizeof report);
  for (;;) raw_call(SYS_exit_group, 127);
}

int error_number(long outcome) { return outcome < 0 ? errno : 0; }

void close_on_exec_from(int first) {
  if (raw_call(kCloseRange, first, ~0u, kCloseOnExec) == 0) return;
  for (int file = first; file < 65536; ++file) {
    raw_call(SYS_fcntl, file, F_SETFD, FD_CLOEXEC);
  }
}

int connect_streams(const BoxSetup& setup) {
  const int wanted[] = {setup.input, setup.output, setup.errors, setup.result};
  int first_closed = 3;
  for (int stream = 0; stream < 4; ++stream) {
    if (wanted[stream] < 0) continue;
    if (raw_call(SYS_dup3, wanted[stream], stream, 0) < 0) return errno;
    first_closed = stream + 1 > 3 ? 4 : 3;
  }
  close_on_exec_from(first_closed);
  return 0;
}

// exec resets handlers, but ignored and blocked signals stay ignored and
// blocked.
void reset_signals() {
  const std::uint64_t defaults[4] = {};  // The kernel's struct sigaction.
  for (int signal = 1; signal <= kSignals; ++signal) {
    raw_call(SYS_rt_sigaction, signal, defaults, nullptr, kSignalSetBytes);
  }
  const std::uint64_t none = 0;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, kSignalSetBytes);
}

int set_limits(const std::vector<BoxLimit>& limits) {
  for (const BoxLimit& limit : limits) {
    if (raw_call(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr) < 0) {
      return errno;
    }
  }
  return 0;
}

int drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return error_number(raw_call(SYS_capset, &header, none));
}

int install_filter(BoxSetup& setup) {
  // The PID is known only now, so it is patched into the filter.
  if (setup.filter_own_pid != 0) {
    setup.filter[setup.filter_own_pid].k =
        static_cast<std::uint32_t>(raw_call(SYS_getpid));
  }
  const sock_fprog program{static_cast<unsigned short>(setup.filter.size()),
                           setup.filter.data()};
  return error_number(
      raw_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

void report_start(const BoxSetup& setup) {
  rusage usage{};
  raw_call(SYS_getrusage, RUSAGE_SELF, &usage);
  const BoxReport report{.stage = BoxStage::Started,
                         .peak_kilobytes = usage.ru_maxrss};
  raw_call(SYS_write, setup.report, &report, sizeof report);
}

int drop_privileges(const BoxSetup& setup) {
  if (setup.has_own_user && !setup.has_user_namespace) {
    if (const int error = take_identity(setup.user)) return error;
  }
  return drop_capabilities();
}

}  // namespace

int take_identity(uid_t user) {
  // Fails in a user namespace of an ordinary user, where it is not needed.
  raw_call(SYS_setgroups, 0, nullptr);
  if (raw_call(SYS_setresgid, user, user, user) < 0) return errno;
  return error_number(raw_call(SYS_setresuid, user, user, user));
}

void become_program(BoxSetup& setup) {
  raw_call(SYS_setsid);
  if (const int error = connect_streams(setup)) {
    fail_and_exit(setup, BoxStage::Streams, error);
  }
  if (const int error = drop_privileges(setup)) {
    fail_and_exit(setup, BoxStage::Identity, error);
  }
  raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (const int error = set_limits(setup.limits)) {
    fail_and_exit(setup, BoxStage::Limits, error);
  }
  if (raw_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    fail_and_exit(setup, BoxStage::NoNewPrivileges, errno);
  }
  if (setup.landlock_version > 0) {
    if (const int error =
            restrict_by_landlock(setup.landlock_version, setup.rules)) {
      fail_and_exit(setup, BoxStage::Landlock, error);
    }
  }
  report_start(setup);
  reset_signals();
  // Last, because the filter forbids calls that the steps above make.
  if (!setup.filter.empty()) {
    if (const int error = install_filter(setup)) {
      fail_and_exit(setup, BoxStage::Seccomp, error);
    }
  }
  if (setup.arguments.empty()) {
    for (;;) raw_call(SYS_exit_group, 0);
  }
  raw_call(SYS_execve, setup.arguments[0], setup.arguments.data(),
           setup.environment.data());
  fail_and_exit(setup, BoxStage::Execute, errno);
}

}  // namespace lamarck::internal
