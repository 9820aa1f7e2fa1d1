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

constexpr unsigned int kOnExec = 4;
constexpr int kSignals = 64;

[[noreturn]] void give_up(const BoxPlan& plan, BoxStage stage, int error) {
  const BoxReport report{.stage = stage, .error = error};
  raw_call(SYS_write, plan.report, &report, sizeof report);
  for (;;) raw_call(SYS_exit_group, 127);
}

int errno_of(long outcome) { return outcome < 0 ? errno : 0; }

void close_on_exec_from(int first) {
  if (raw_call(kCloseRange, first, ~0u, kOnExec) == 0) return;
  for (int file = first; file < 65536; ++file) {
    raw_call(SYS_fcntl, file, F_SETFD, FD_CLOEXEC);
  }
}

int connect_streams(const BoxPlan& plan) {
  const int wanted[] = {plan.input, plan.output, plan.errors, plan.result};
  int first_closed = 3;
  for (int stream = 0; stream < 4; ++stream) {
    if (wanted[stream] < 0) continue;
    if (raw_call(SYS_dup3, wanted[stream], stream, 0) < 0) return errno;
    first_closed = stream + 1 > 3 ? 4 : 3;
  }
  close_on_exec_from(first_closed);
  return 0;
}

// A handler does not survive exec, but a signal that is ignored or blocked
// stays so.
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
  return errno_of(raw_call(SYS_capset, &header, none));
}

int install_filter(BoxPlan& plan) {
  if (plan.filter_own_pid != 0) {
    plan.filter[plan.filter_own_pid].k =
        static_cast<std::uint32_t>(raw_call(SYS_getpid));
  }
  const sock_fprog program{static_cast<unsigned short>(plan.filter.size()),
                           plan.filter.data()};
  return errno_of(raw_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

void tell_start(const BoxPlan& plan) {
  rusage usage{};
  raw_call(SYS_getrusage, RUSAGE_SELF, &usage);
  const BoxReport report{.stage = BoxStage::Started,
                         .peak_kilobytes = usage.ru_maxrss};
  raw_call(SYS_write, plan.report, &report, sizeof report);
}

int give_up_rights(const BoxPlan& plan) {
  if (plan.has_own_user && !plan.has_user_namespace) {
    if (const int error = take_identity(plan.user)) return error;
  }
  return drop_capabilities();
}

}  // namespace

int take_identity(uid_t user) {
  // Not allowed in the namespace of a user who is not root; harmless there.
  raw_call(SYS_setgroups, 0, nullptr);
  if (raw_call(SYS_setresgid, user, user, user) < 0) return errno;
  return errno_of(raw_call(SYS_setresuid, user, user, user));
}

void become_program(BoxPlan& plan) {
  raw_call(SYS_setsid);
  if (const int error = connect_streams(plan)) {
    give_up(plan, BoxStage::Streams, error);
  }
  if (const int error = give_up_rights(plan)) {
    give_up(plan, BoxStage::Identity, error);
  }
  raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (const int error = set_limits(plan.limits)) {
    give_up(plan, BoxStage::Limits, error);
  }
  if (raw_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    give_up(plan, BoxStage::NoNewPrivileges, errno);
  }
  if (plan.landlock_version > 0) {
    if (const int error =
            restrict_by_landlock(plan.landlock_version, plan.rules)) {
      give_up(plan, BoxStage::Landlock, error);
    }
  }
  tell_start(plan);
  reset_signals();
  if (!plan.filter.empty()) {
    if (const int error = install_filter(plan)) {
      give_up(plan, BoxStage::Seccomp, error);
    }
  }
  if (plan.arguments.empty()) {
    for (;;) raw_call(SYS_exit_group, 0);
  }
  raw_call(SYS_execve, plan.arguments[0], plan.arguments.data(),
           plan.environment.data());
  give_up(plan, BoxStage::Execute, errno);
}

}  // namespace lamarck::internal
