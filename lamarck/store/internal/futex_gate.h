// A one-shot gate: threads wait until it is opened.
//
// One system call wakes all waiters, and none of them takes a lock afterwards.
// (std::atomic::wait yields several times before it sleeps, which costs more
// than the sleep.)

#pragma once

#include <sys/syscall.h>
#include <unistd.h>
#include <linux/futex.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace lamarck::store::internal {

// Thread safety: all members may be called from any thread.
class FutexGate {
 public:
  void wait() {
    while (is_open_.load() == 0) {
      syscall(SYS_futex, &is_open_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  }
  void open() {
    is_open_.store(1);
    syscall(SYS_futex, &is_open_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
            0);
  }

 private:
  std::atomic<std::uint32_t> is_open_ = 0;
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
};

}  // namespace lamarck::store::internal
