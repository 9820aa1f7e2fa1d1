// The seccomp filter: which system calls a program may make.

#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <vector>

namespace lamarck::internal {

struct SyscallFilter {
  std::vector<sock_filter> code;  // Empty on an unsupported architecture.
  // Index of the instruction to patch with the program's PID; 0 if there is
  // none.
  std::size_t own_pid = 0;
};

// A call that is not allowed fails with EPERM, and a call newer than this list
// with ENOSYS. A call that only an attacker needs kills the program with
// SIGSYS. With `has_own_pids` the program may send signals, otherwise only to
// itself.
SyscallFilter syscall_filter(bool has_own_pids);

}  // namespace lamarck::internal
