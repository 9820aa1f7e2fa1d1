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

#include "lamarck/sandbox/internal/syscall_lists.h"

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

// The newest call that this filter knows. Newer calls fail with ENOSYS, so that
// the C library falls back to older ones.
constexpr std::uint32_t kNewestKnown = 462;

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
  return 16 + 8 * index;  // The low half of a little-endian value.
}

// Writes BPF rules in order; each either returns or continues with the next.
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

  // Allows call `number` if its argument is one of `values`, else EPERM.
  void allow_values(std::uint32_t number, std::uint32_t argument,
                    std::initializer_list<std::uint32_t> values) {
    const auto skipped = static_cast<std::uint8_t>(2 + 2 * values.size());
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skipped));
    load(argument_at(argument));
    for (const std::uint32_t value : values) answer_if_equal(value, kAllow);
    answer(fails_with(EPERM));
  }

  // Allows call `number`, but kills the program if its argument has one of
  // `bits`.
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

// Returns the index of the comparison with the own PID, or 0.
std::size_t write_signals(FilterWriter& writer, bool has_own_pids) {
  if (has_own_pids) {
    writer.answer_if_equal(SYS_kill, kAllow);
    writer.answer_if_equal(SYS_tgkill, kAllow);
    writer.answer_if_equal(SYS_tkill, kAllow);
    return 0;
  }
  const std::size_t comparison = writer.size() + 2;
  writer.allow_values(SYS_tgkill, 0, {0});
  return comparison;
}

void write_calls_with_conditions(FilterWriter& writer) {
  // A filter cannot read the flags of clone3, which are behind a pointer. With
  // ENOSYS the C library uses clone instead.
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
  // The x32 calls, a second set of numbers on x86-64.
  writer.answer_if_any_bit(0x40000000, kKill);
  for (const std::uint32_t number : kAllowedCalls) {
    writer.answer_if_equal(number, kAllow);
  }
  for (const std::uint32_t number : kFatalCalls) {
    writer.answer_if_equal(number, kKill);
  }
  const std::size_t own_pid = write_signals(writer, has_own_pids);
  write_calls_with_conditions(writer);
  writer.answer_if_above(kNewestKnown, fails_with(ENOSYS));
  writer.answer(fails_with(EPERM));
  return {.code = writer.take(), .own_pid = own_pid};
}

}  // namespace lamarck::internal
