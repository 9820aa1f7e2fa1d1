// What kind of failure it is, and whether it is one we have seen.

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
  Unknown,
};

// One entry of the list that classification, healing, tests and docs walk.
struct FailureKind {
  FailureCategory category;
  std::string_view name;  // "permission_denied".
  // What its messages have: alternatives between bars; a star stands for
  // anything on the same line.
  std::string_view pattern;
  bool is_retried = true;  // Some must be mended first.
  int exit_code = 0;       // Says so where no pattern is found; 0 = none.
};
// In the order of classification: a special case before what is more general.
std::span<const FailureKind> failure_kinds();

const FailureKind& failure_kind(FailureCategory category);
std::string_view failure_name(FailureCategory category);
Result<FailureCategory> failure_named(std::string_view name);
// The first kind of the list whose pattern is found, without regard to case.
// Of a long text the beginning and the end are looked at.
FailureCategory classify_failure(std::string_view stderr_text, int exit_code);

struct FailureReport {
  std::string stderr_text;
  std::string tool;
  std::string arguments;  // JSON object; "" = none.
  int exit_code = 1;
};
// The same for the same failure: paths, line numbers, addresses, times, process
// ids, temporary names and the order of arguments do not count, nor any other
// number unless it says which error it is ("errno 13"). 16 hex digits.
std::string failure_signature(const FailureReport& report);
// What of a message the signature sees: its first and its last lines.
std::string normalized_failure(std::string_view stderr_text);

}  // namespace lamarck::thought
