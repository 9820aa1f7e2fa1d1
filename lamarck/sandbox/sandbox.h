// Runs an untrusted program and reports how it ended.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck {

struct SandboxLimits {
  std::chrono::milliseconds wall{10'000};
  std::uint64_t cpu_seconds = 10;                       // Per process.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // Per process.
  std::uint64_t processes = 8;                          // Threads count too.
  std::uint64_t open_files = 64;                        // Per process.
  // Total of the private folder; per file if there is no private root.
  std::uint64_t file_bytes = std::uint64_t{16} << 20;
  // Per output stream: output, errors and result.
  std::uint64_t output_bytes = std::uint64_t{1} << 20;
};

// A file in the private folder. The name may contain folders: "data/a.json".
struct SandboxFile {
  std::string name;
  std::string content;
  bool is_executable = false;
};

struct SandboxJob {
  // The program, as an absolute path or "./NAME" of a file, and its arguments.
  std::vector<std::string> command;
  std::string input;  // Read from descriptor 0.
  std::vector<SandboxFile> files;
  bool is_read_only = false;        // Not even the private folder is writable.
  bool has_result_channel = false;  // Descriptor 3 is captured as `result`.
  // "NAME=value". The program sees these, PATH, LANG, HOME and TMPDIR only.
  std::vector<std::string> environment;
  SandboxLimits limits;
};

enum class SandboxReason : std::uint8_t {
  Exited,            // Normally; see `exit_code`.
  Signalled,         // By a signal it caused, such as SIGSEGV.
  TimedOut,          // Exceeded the wall time.
  OutOfCpuTime,      // Exceeded the processor time of a process.
  OutOfMemory,       // Failed after an allocation beyond the limit.
  TooMuchOutput,     // Exceeded `output_bytes` on a stream.
  TooManyProcesses,  // Failed while at the process limit.
  FileTooLarge,      // Exceeded `file_bytes`.
  ForbiddenCall,     // Made a system call that only an attacker needs.
  Cancelled,         // Through the caller's token.
};

// "exited", "timed_out" and so on.
std::string_view sandbox_reason_name(SandboxReason reason);

struct SandboxUsage {
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};  // Sum of all processes.
  // Memory of the largest process. Unset if that is below the caller's own
  // size, at which Linux starts counting.
  std::optional<std::uint64_t> peak_memory_bytes;
};

struct SandboxOutcome {
  SandboxReason reason = SandboxReason::Exited;
  int exit_code = 0;  // If it exited.
  int signal = 0;     // If a signal ended it.
  std::string output;
  std::string errors;
  std::string result;
  SandboxUsage usage;
  std::vector<std::string> layers;  // Active during the run.

  bool has_succeeded() const {
    return reason == SandboxReason::Exited && exit_code == 0;
  }
};

// Describes the end of the program as part of a sentence: "timed out after 10
// s", "exited with code 1: LAST LINE OF ITS ERRORS".
std::string describe(const SandboxOutcome& outcome,
                     const SandboxLimits& limits);

// Thread safety: any member from any thread; several programs run at once.
class Sandbox {
 public:
  virtual ~Sandbox() = default;

  // Returns an error only if the program could not be started; anything the
  // program does is an outcome. On return, none of its processes or files is
  // left.
  virtual Result<SandboxOutcome> run(const SandboxJob& job,
                                     const CancelToken& cancel) const = 0;
};

}  // namespace lamarck
