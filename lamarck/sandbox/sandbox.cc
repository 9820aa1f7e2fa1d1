#include "lamarck/sandbox/sandbox.h"

#include <cstring>
#include <fmt/format.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/one_line.h"

namespace lamarck {
namespace {

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t newline = text.find_last_of('\n');
  return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

std::string with_last_error(std::string text, const SandboxOutcome& outcome) {
  const std::string_view line = last_line(outcome.errors);
  if (line.empty()) return text;
  return std::move(text) + ": " + one_line(line, 200);
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{} MiB", bytes >> 20);
}

}  // namespace

std::string_view sandbox_reason_name(SandboxReason reason) {
  switch (reason) {
    case SandboxReason::Exited:
      return "exited";
    case SandboxReason::Signalled:
      return "signalled";
    case SandboxReason::TimedOut:
      return "timed_out";
    case SandboxReason::OutOfCpuTime:
      return "out_of_cpu_time";
    case SandboxReason::OutOfMemory:
      return "out_of_memory";
    case SandboxReason::TooMuchOutput:
      return "too_much_output";
    case SandboxReason::TooManyProcesses:
      return "too_many_processes";
    case SandboxReason::FileTooLarge:
      return "file_too_large";
    case SandboxReason::ForbiddenCall:
      return "forbidden_call";
    case SandboxReason::Cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string describe(const SandboxOutcome& outcome,
                     const SandboxLimits& limits) {
  switch (outcome.reason) {
    case SandboxReason::Exited:
      return with_last_error(
          fmt::format("exited with code {}", outcome.exit_code), outcome);
    case SandboxReason::Signalled:
      return with_last_error(
          fmt::format("ended by signal {} ({})", outcome.signal,
                      strsignal(outcome.signal)),
          outcome);
    case SandboxReason::TimedOut:
      return "timed out after " + to_readable(limits.wall);
    case SandboxReason::OutOfCpuTime:
      return fmt::format("used more than {} s of processor time",
                         limits.cpu_seconds);
    case SandboxReason::OutOfMemory:
      return "used more memory than " + mebibytes(limits.memory_bytes);
    case SandboxReason::TooMuchOutput:
      return fmt::format("printed more than {} KiB", limits.output_bytes >> 10);
    case SandboxReason::TooManyProcesses:
      return fmt::format("started more than {} processes", limits.processes);
    case SandboxReason::FileTooLarge:
      return "wrote a file larger than " + mebibytes(limits.file_bytes);
    case SandboxReason::ForbiddenCall:
      return "made a system call that the sandbox forbids";
    case SandboxReason::Cancelled:
      return "cancelled";
  }
  return "ended";
}

}  // namespace lamarck
