// Classifies failures of an executor, and recognizes a failure that was seen
// before.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::thought {

enum class FailureCategory : std::uint8_t {
  PermissionDenied,
  AccessForbidden,
  FileNotFound,
  PortInUse,
  LockHeld,
  DiskFull,
  MissingDependency,
  VersionMismatch,
  ImportError,
  PathNonCompliant,
  PathOutsideProject,
  TestFailed,
  AssertionError,
  SyntaxError,
  Timeout,
  OutOfMemory,
  RecursionLimit,
  AuthenticationFailed,
  ConnectionFailed,
  RateLimited,
  BuildFailed,
  MergeConflict,
  Crashed,
  Unknown,
};

// One entry of the list that classification, healing, tests and documentation
// iterate.
struct FailureKind {
  FailureCategory category;
  std::string_view name;  // "permission_denied".
  // Alternatives separated by '|'; '*' matches anything on the same line.
  std::string_view pattern;
  bool is_retried = true;  // False: the cause must be fixed first.
  int exit_code = 0;       // Used when no pattern matches; 0 = none.
};
// In the order of classification: special cases come before general ones.
std::span<const FailureKind> failure_kinds();

const FailureKind& failure_kind(FailureCategory category);
std::string_view failure_name(FailureCategory category);
Result<FailureCategory> parse_failure(std::string_view name);
// Returns the first category of the list whose pattern matches, ignoring case;
// if none does, the one with this exit code. "0 failed" and the like say that
// nothing failed, and "failed to" at the start of a message is not about a
// test, so neither is searched. Only the beginning and the end of a long text
// are searched.
FailureCategory classify_failure(std::string_view stderr_text, int exit_code);

struct FailureReport {
  std::string stderr_text;
  std::string tool;
  std::string arguments;  // JSON object; "" = none.
  int exit_code = 1;
};
// Returns 16 hex digits that identify the failure across runs. Paths, line
// numbers, addresses, times, process ids, temporary names, the order of
// arguments and other numbers do not change it, except for numbers that name
// the error ("errno 13").
std::string failure_signature(const FailureReport& report);
// Returns the text that the signature hashes: the first and last lines of the
// message with all variable parts replaced.
std::string normalized_failure(std::string_view stderr_text);

}  // namespace lamarck::thought
