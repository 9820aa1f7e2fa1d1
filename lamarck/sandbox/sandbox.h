// Runs a program that nobody trusts and tells what became of it.

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
  std::uint64_t cpu_seconds = 10;                       // Of each process.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // Of each process.
  std::uint64_t processes = 8;                          // Threads count too.
  std::uint64_t open_files = 64;                        // Of each process.
  // Of the private folder; of each file where there is no private root.
  std::uint64_t file_bytes = std::uint64_t{16} << 20;
  // Of each of the three streams that are read from it.
  std::uint64_t output_bytes = std::uint64_t{1} << 20;
};

// A file of the private folder. The name may hold folders: "data/a.json".
struct SandboxFile {
  std::string name;
  std::string content;
  bool is_executable = false;
};

struct SandboxJob {
  // The program, by its whole path or as "./NAME" of a file, and its arguments.
  std::vector<std::string> command;
  std::string input;  // What it reads from descriptor 0.
  std::vector<SandboxFile> files;
  bool is_read_only = false;        // Nothing can be written, not even there.
  bool has_result_channel = false;  // Descriptor 3 is SandboxOutcome::result.
  // "NAME=value"; it sees these, PATH, LANG, HOME and TMPDIR, and no others.
  std::vector<std::string> environment;
  SandboxLimits limits;
};

enum class SandboxReason : std::uint8_t {
  Exited,            // By itself; see `exit_code`.
  Signalled,         // By a signal of its own making, such as SIGSEGV.
  TimedOut,          // Still ran at the limit of wall time.
  OutOfCpuTime,      //
  OutOfMemory,       // Asked for more than allowed, and gave up.
  TooMuchOutput,     //
  TooManyProcesses,  // Failed, and was at the limit when it ended.
  FileTooLarge,      //
  ForbiddenCall,     // Made a system call that only an attacker needs.
  Cancelled,         // By the caller's token.
};

// "exited", "timed_out" and so on.
std::string_view sandbox_reason_name(SandboxReason reason);

struct SandboxUsage {
  std::chrono::microseconds wall{0};
  std::chrono::microseconds cpu{0};  // Of all its processes.
  // Of its largest process. Nothing if that is smaller than the caller's own,
  // from which Linux counts.
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
  std::vector<std::string> layers;  // That were around it.

  bool has_succeeded() const {
    return reason == SandboxReason::Exited && exit_code == 0;
  }
};

// What happened, for a sentence: "timed out after 10 s", "exited with code 1:
// LAST LINE OF ITS ERRORS".
std::string describe(const SandboxOutcome& outcome,
                     const SandboxLimits& limits);

// Thread safety: any member from any thread; several programs run at once.
class Sandbox {
 public:
  virtual ~Sandbox() = default;

  // An error means that it could not be started; whatever it did itself is an
  // outcome. When this returns, none of its processes and files are left.
  virtual Result<SandboxOutcome> run(const SandboxJob& job,
                                     const CancelToken& cancel) const = 0;
};

}  // namespace lamarck
