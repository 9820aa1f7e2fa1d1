#include "lamarck/thought/failure.h"

#include <algorithm>
#include <array>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/thought/internal/failure_words.h"

namespace lamarck::thought {
namespace {

using internal::lowered;

// The first match wins, so a category with specific messages comes before one
// whose pattern has general words such as "failed" or "cannot find".
constexpr auto kFailureKinds = [] {
  using enum FailureCategory;
  return std::array<FailureKind, 24>{{
      {PermissionDenied, "permission_denied",
       "PermissionError|Permission denied|EACCES", true, 126},
      {AccessForbidden, "access_forbidden",
       "403 Forbidden|Access is denied|Access denied|EPERM|"
       "Operation not permitted|401 Unauthorized|not authorized|"
       "Read-only file system|EROFS"},
      {AuthenticationFailed, "authentication_failed",
       "Authentication failed|AuthenticationError|Authentication required|"
       "invalid credentials|Bad credentials|Login failed|invalid API key|"
       "incorrect API key|token has expired|token is expired|"
       "could not read Username"},
      {PathOutsideProject, "path_outside_project",
       "outside the project|outside of the project|outside the workspace|"
       "outside repository|outside the repository|outside the allowed|"
       "path traversal|path_outside_project",
       false},
      {PathNonCompliant, "path_non_compliant",
       "naming convention|path_non_compliant|non-compliant path|"
       "path is not compliant|File name too long|ENAMETOOLONG|"
       "invalid file name|wrong folder"},
      {FileNotFound, "file_not_found", "FileNotFoundError|No such file|ENOENT"},
      {PortInUse, "port_in_use",
       "Address already in use|EADDRINUSE|port is already allocated|"
       "port * is already in use|port * in use"},
      {LockHeld, "lock_held",
       "database is locked|database table is locked|index.lock|"
       "could not get lock|unable to acquire * lock|cannot acquire lock|"
       "failed to acquire lock|lock is held|lock held|waiting for * lock|"
       "lock wait timeout|deadlock detected|Resource temporarily unavailable|"
       "EAGAIN|Device or resource busy|EBUSY|Text file busy|ETXTBSY|"
       "used by another process"},
      {RateLimited, "rate_limited",
       "Too Many Requests|RateLimitError|rate limit|rate-limited"},
      {ConnectionFailed, "connection_failed",
       "Failed to connect|Connection refused|ECONNREFUSED|Connection reset|"
       "ECONNRESET|ConnectionError|connection failed|connection closed|"
       "Could not resolve host|getaddrinfo|EAI_AGAIN|name resolution|"
       "Name or service not known|Network is unreachable|ENETUNREACH|"
       "EHOSTUNREACH|No route to host|certificate verify failed|"
       "SSL handshake"},
      {DiskFull, "disk_full",
       "No space left|ENOSPC|Disk quota exceeded|EDQUOT|disk is full|disk full|"
       "not enough space on the disk"},
      {VersionMismatch, "version_mismatch",
       "VersionConflict|version conflict|version mismatch|ERESOLVE|EBADENGINE|"
       "Unsupported engine|incompatible version|requires * but you have|"
       "requires a different Python|satisfies the requirement|"
       "version `GLIBC|unsupported class file major version"},
      {ImportError, "import_error",
       "cannot import name|circular import|undefined symbol|"
       "does not provide an export named|is not exported from|"
       "ERR_REQUIRE_ESM|DLL load failed|Cannot use import statement"},
      {MissingDependency, "missing_dependency",
       "ModuleNotFoundError|ImportError|cannot find|No module named|"
       "command not found|is not recognized as an internal|"
       "Unable to locate package|could not find package|unresolved import|"
       "no required module provides|missing dependency",
       true, 127},
      {OutOfMemory, "out_of_memory",
       "MemoryError|out of memory|OutOfMemory|ENOMEM|Cannot allocate memory|"
       "std::bad_alloc|oom-kill|OOMKilled|memory allocation of * failed",
       true, 137},
      {RecursionLimit, "recursion_limit",
       "RecursionError|recursion depth|recursion limit|"
       "Maximum call stack size exceeded|StackOverflow|stack overflow|"
       "too much recursion"},
      {SyntaxError, "syntax_error",
       "SyntaxError|syntax error|IndentationError|TabError|ParseError|"
       "parse error|Unexpected token|unexpected end of input|"
       "error: expected * before|error: expected ';'",
       false},
      {MergeConflict, "merge_conflict",
       "Merge conflict|CONFLICT (|Automatic merge failed|"
       "would be overwritten by|patch does not apply|patch failed"},
      {BuildFailed, "build_failed",
       "compilation failed|compilation terminated|build failed|build stopped|"
       "could not compile|undefined reference to|linker command failed|"
       "CMake Error|error TS"},
      {AssertionError, "assertion_error",
       "assertion failed|assertion * failed|debug assertion|"
       "assertion violated|assert failure"},
      {TestFailed, "test_failed", "FAILED|AssertionError|test*failed"},
      {Crashed, "crashed",
       "Segmentation fault|SIGSEGV|SIGABRT|core dumped|Bus error|"
       "Illegal instruction|stack smashing|AddressSanitizer",
       true, 139},
      {Timeout, "timeout",
       "TimeoutError|timed out|ETIMEDOUT|deadline exceeded|TimeoutExpired|"
       "time limit exceeded",
       true, 124},
      {Unknown, "unknown", ""},
  }};
}();

constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::size_t kTailBytes = 192 * 1024;

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

// Blanks every occurrence of `phrase` for which `is_meant` holds.
void blank_phrase(std::string& text, std::string_view phrase,
                  bool (*is_meant)(std::string_view text, std::size_t begin,
                                   std::size_t end)) {
  for (std::size_t at = text.find(phrase); at != std::string::npos;
       at = text.find(phrase, at + phrase.size())) {
    if (!is_meant(text, at, at + phrase.size())) continue;
    text.replace(at, phrase.size(), phrase.size(), ' ');
  }
}

// Blanks what contains the words of a failed test but says something else.
std::string without_false_alarms(std::string text) {
  static constexpr std::array<std::string_view, 11> kNothingFailed = {
      "0 failed",   "0 tests failed",  "0 test failed", "0 failures",
      "failed: 0",  "failed 0",        "failed=0",      "failures: 0",
      "failures=0", "no tests failed", "no test failed"};
  for (const std::string_view phrase : kNothingFailed) {
    // "10 failed" and "failed: 05" are not zero.
    blank_phrase(text, phrase,
                 [](std::string_view all, std::size_t begin, std::size_t end) {
                   return !(begin > 0 && is_digit_at(all, begin) &&
                            is_digit_at(all, begin - 1)) &&
                          !is_digit_at(all, end);
                 });
  }
  blank_phrase(text, "failed to ",
               [](std::string_view all, std::size_t begin, std::size_t) {
                 const std::string_view before = all.substr(0, begin);
                 return before.empty() || before.ends_with('\n') ||
                        before.ends_with(": ");
               });
  return text;
}

// The lower-case text to search: all of it or, if it is long, its beginning and
// its end.
std::string searched_text(std::string_view text) {
  if (text.size() <= kHeadBytes + kTailBytes) return lowered(text);
  return lowered(text.substr(0, kHeadBytes)) + '\n' +
         lowered(text.substr(text.size() - kTailBytes));
}

bool has_in_order(std::string_view line,
                  const std::vector<std::string_view>& pieces) {
  for (const std::string_view piece : pieces) {
    const std::size_t at = line.find(piece);
    if (at == std::string_view::npos) return false;
    line.remove_prefix(at + piece.size());
  }
  return true;
}

// Only lines that contain the first piece are examined, so the search stays
// linear.
bool has_alternative(std::string_view text, std::string_view alternative) {
  const auto pieces = split_text(alternative, '*');
  if (pieces.size() == 1) return text.find(alternative) != text.npos;
  std::size_t at = text.find(pieces.front());
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (has_in_order(text.substr(at, end - at), pieces)) return true;
    at = text.find(pieces.front(), end);
  }
  return false;
}

bool matches(std::string_view lowered_text, std::string_view pattern) {
  if (pattern.empty()) return false;
  const std::string lowered_pattern = lowered(pattern);
  return std::ranges::any_of(
      split_text(lowered_pattern, '|'), [&](std::string_view alternative) {
        return has_alternative(lowered_text, alternative);
      });
}

// Json sorts the keys of objects, so the order of arguments does not matter.
std::string canonical(const std::string& arguments) {
  if (arguments.empty()) return "{}";
  const auto json = parse_json(arguments);
  return json ? dump_json(*json) : arguments;
}

}  // namespace

std::span<const FailureKind> failure_kinds() { return kFailureKinds; }

const FailureKind& failure_kind(FailureCategory category) {
  const auto found =
      std::ranges::find(kFailureKinds, category, &FailureKind::category);
  REQUIRE(found != kFailureKinds.end(),
          "failure_kind: the category must be in the list, got {}.",
          static_cast<int>(category));
  return *found;
}

std::string_view failure_name(FailureCategory category) {
  return failure_kind(category).name;
}

Result<FailureCategory> parse_failure(std::string_view name) {
  const auto found = std::ranges::find(kFailureKinds, name, &FailureKind::name);
  if (found != kFailureKinds.end()) return found->category;
  std::vector<std::string_view> names;
  for (const FailureKind& kind : kFailureKinds) names.push_back(kind.name);
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Unknown failure category {}; use one of {}.",
                           in_quotes(name), join_text(names, ", ")));
}

FailureCategory classify_failure(std::string_view stderr_text, int exit_code) {
  const std::string text = searched_text(stderr_text);
  const std::string about_tests = without_false_alarms(text);
  for (const FailureKind& kind : kFailureKinds) {
    const bool is_test = kind.category == FailureCategory::TestFailed;
    if (matches(is_test ? about_tests : text, kind.pattern)) {
      return kind.category;
    }
  }
  for (const FailureKind& kind : kFailureKinds) {
    if (kind.exit_code != 0 && kind.exit_code == exit_code) {
      return kind.category;
    }
  }
  return FailureCategory::Unknown;
}

std::string failure_signature(const FailureReport& report) {
  const Json parts = {normalized_failure(report.stderr_text), report.tool,
                      canonical(report.arguments), report.exit_code};
  return sha256_hex(dump_json(parts)).substr(0, 16);
}

}  // namespace lamarck::thought
