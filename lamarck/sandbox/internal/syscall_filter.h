// Which system calls a program may make, as a filter of the kernel.

#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <vector>

namespace lamarck::internal {

struct SyscallFilter {
  std::vector<sock_filter> code;  // Empty on a processor that it lacks.
  // The comparison that needs the program's own pid; 0 if none does.
  std::size_t own_pid = 0;
};

// What is not allowed fails with EPERM, what the kernel knows and we do not
// with ENOSYS, and what only an attacker needs ends the program with SIGSYS.
// With `has_own_pids` it may send signals; else, only to itself.
SyscallFilter syscall_filter(bool has_own_pids);

}  // namespace lamarck::internal
