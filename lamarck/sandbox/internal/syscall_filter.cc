#include "lamarck/sandbox/internal/syscall_filter.h"

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <initializer_list>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

namespace lamarck::internal {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// The newest call that this was written for: what is newer is ENOSYS, so that
// the C library takes its older way.
constexpr std::uint32_t kNewestKnown = 462;

// Everything that CPython, numpy and small Unix programs need.
constexpr std::uint32_t kAllowed[] = {
    // Reading and writing what is open.
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_lseek,
    SYS_close,
    SYS_close_range,
    SYS_dup,
    SYS_dup3,
    SYS_fcntl,
    SYS_flock,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_sendfile,
    SYS_copy_file_range,
    // Files and folders.
    SYS_openat,
    SYS_openat2,
    SYS_newfstatat,
    SYS_fstat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_truncate,
    SYS_utimensat,
    SYS_umask,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    // Memory.
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_msync,
    SYS_mincore,
    SYS_membarrier,
    // Itself and its children.
    SYS_exit,
    SYS_exit_group,
    SYS_execve,
    SYS_wait4,
    SYS_waitid,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getpgid,
    SYS_setpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_capget,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_getpriority,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_getrusage,
    SYS_times,
    SYS_getcpu,
    // Signals of its own.
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_restart_syscall,
    // Time.
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_delete,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    // Waiting.
    SYS_pipe2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    // The machine.
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
#if defined(__x86_64__)
    // The older forms of the above.
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_renameat,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_creat,
    SYS_getdents,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_select,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_alarm,
    SYS_pause,
    SYS_time,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_vfork,
    SYS_fork,
    SYS_getpgrp,
    SYS_arch_prctl,
#endif
};

// No program that computes something makes one of these.
constexpr std::uint32_t kFatal[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_fanotify_init,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_kexec_file_load,
#endif
};

constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t fails_with(std::uint32_t error) {
  return SECCOMP_RET_ERRNO | error;
}

constexpr std::uint32_t kNumberAt = 0;  // Offsets in struct seccomp_data.
constexpr std::uint32_t kArchitectureAt = 4;
constexpr std::uint32_t argument_at(std::uint32_t index) {
  return 16 + 8 * index;  // The lower half; processors are little-endian here.
}

// Rules are written in order; each either returns or goes on to the next.
class FilterWriter {
 public:
  void load(std::uint32_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  }
  void answer(std::uint32_t action) {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  void answer_if_equal(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    answer(action);
  }
  void answer_unless_equal(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    answer(action);
  }
  void answer_if_any_bit(std::uint32_t bits, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(action);
  }
  void answer_if_above(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, value, 0, 1));
    answer(action);
  }

  // For call `number`: allowed if its argument is one of `values`.
  void allow_values(std::uint32_t number, std::uint32_t argument,
                    std::initializer_list<std::uint32_t> values) {
    const auto skipped = static_cast<std::uint8_t>(2 + 2 * values.size());
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skipped));
    load(argument_at(argument));
    for (const std::uint32_t value : values) answer_if_equal(value, kAllow);
    answer(fails_with(EPERM));
  }

  // For call `number`: fatal if its argument has one of `bits`, else allowed.
  void allow_without_bits(std::uint32_t number, std::uint32_t argument,
                          std::uint32_t bits) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
    load(argument_at(argument));
    answer_if_any_bit(bits, kKill);
    answer(kAllow);
  }

  std::size_t size() const { return code_.size(); }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

// Returns where the own pid stands, or 0.
std::size_t write_signals(FilterWriter& writer, bool has_own_pids) {
  if (has_own_pids) {
    for (const std::uint32_t number : {SYS_kill, SYS_tgkill, SYS_tkill}) {
      writer.answer_if_equal(number, kAllow);
    }
    return 0;
  }
  const std::size_t comparison = writer.size() + 2;
  writer.allow_values(SYS_tgkill, 0, {0});
  return comparison;
}

void write_calls_with_conditions(FilterWriter& writer) {
  // The flags of clone3 are behind a pointer; the C library then uses clone.
  writer.answer_if_equal(SYS_clone3, fails_with(ENOSYS));
  writer.allow_without_bits(SYS_clone, 0, kNewNamespaces);
  writer.allow_values(
      SYS_ioctl, 1, {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO});
  writer.allow_values(SYS_prctl, 0, {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA});
  writer.allow_values(SYS_prlimit64, 0, {0});
}

}  // namespace

SyscallFilter syscall_filter(bool has_own_pids) {
  if (kArchitecture == 0) return {};
  FilterWriter writer;
  writer.load(kArchitectureAt);
  writer.answer_unless_equal(kArchitecture, kKill);
  writer.load(kNumberAt);
  // The second set of numbers that x86-64 has.
  writer.answer_if_any_bit(0x40000000, kKill);
  for (const std::uint32_t number : kAllowed) {
    writer.answer_if_equal(number, kAllow);
  }
  for (const std::uint32_t number : kFatal) {
    writer.answer_if_equal(number, kKill);
  }
  const std::size_t own_pid = write_signals(writer, has_own_pids);
  write_calls_with_conditions(writer);
  writer.answer_if_above(kNewestKnown, fails_with(ENOSYS));
  writer.answer(fails_with(EPERM));
  return {.code = writer.take(), .own_pid = own_pid};
}

}  // namespace lamarck::internal
