#include "lamarck/sandbox/internal/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

#include "lamarck/sandbox/internal/raw_call.h"

namespace lamarck::internal {
namespace {

// These numbers are the same on all architectures; older system headers lack
// them.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr int kPathBeneath = 1;

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;  // From version 4.
  std::uint64_t scoped;   // From version 6.
};

struct [[gnu::packed]] PathAttributes {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadFolder = 1 << 3;
constexpr std::uint64_t kTruncate = 1 << 14;
constexpr std::uint64_t kReadAccesses = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kFileAccesses =
    kExecute | kWriteFile | kReadFile | kTruncate;
// Excludes the creation of sockets, pipes and devices.
constexpr std::uint64_t kCreateAccesses =
    (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 12) | (1 << 13);

// All accesses that a version knows. Handling all of them denies every access
// that no rule allows.
std::uint64_t known_accesses(int version) {
  if (version == 1) return (1 << 13) - 1;
  if (version == 2) return (1 << 14) - 1;
  return version < 5 ? (1 << 15) - 1 : (1 << 16) - 1;
}

std::size_t attribute_bytes(int version) {
  if (version < 4) return 8;
  return version < 6 ? 16 : 24;
}

int add_rule(int ruleset, int version, const BoxRule& rule) {
  const long path =
      raw_call(SYS_openat, AT_FDCWD, rule.path.c_str(), O_PATH | O_CLOEXEC, 0);
  if (path < 0) return errno;
  struct stat status {};
  raw_call(SYS_newfstatat, path, "", &status, AT_EMPTY_PATH);
  PathAttributes attributes{kReadAccesses, static_cast<std::int32_t>(path)};
  if (rule.is_writable) {
    attributes.allowed |= kWriteFile | kTruncate | kCreateAccesses;
  }
  // Landlock rejects folder accesses in a rule for a file.
  if (!S_ISDIR(status.st_mode)) attributes.allowed &= kFileAccesses;
  attributes.allowed &= known_accesses(version);
  const long added = raw_call(kAddRule, ruleset, kPathBeneath, &attributes, 0);
  const int failure = added < 0 ? errno : 0;
  raw_call(SYS_close, path);
  return failure;
}

}  // namespace

int landlock_version() {
  const long version = raw_call(kCreateRuleset, nullptr, 0, 1);
  return version < 0 ? 0 : static_cast<int>(version);
}

int restrict_by_landlock(int version, const std::vector<BoxRule>& rules) {
  const RulesetAttributes attributes{.files = known_accesses(version),
                                     .network = 3,  // Bind and connect.
                                     .scoped = 3};  // Sockets and signals.
  const long ruleset =
      raw_call(kCreateRuleset, &attributes, attribute_bytes(version), 0);
  if (ruleset < 0) return errno;
  for (const BoxRule& rule : rules) {
    if (const int failure =
            add_rule(static_cast<int>(ruleset), version, rule)) {
      return failure;
    }
  }
  if (raw_call(kRestrictSelf, ruleset, 0) < 0) return errno;
  raw_call(SYS_close, ruleset);
  return 0;
}

}  // namespace lamarck::internal
