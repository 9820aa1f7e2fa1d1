// What kind of failure it is, and whether it is one we have seen.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"

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
  std::string_view name;     // "permission_denied".
  std::string_view pattern;  // What its messages have, as alternatives.
  bool is_retried = true;    // Some must be mended first.
};
std::span<const FailureKind> failure_kinds();

std::string_view failure_name(FailureCategory category);
// The first kind of the list whose pattern is found, without regard to case.
FailureCategory classify_failure(std::string_view stderr_text, int exit_code);

struct FailureReport {
  std::string stderr_text;
  std::string tool;
  std::string arguments;  // JSON object; "" = none.
  int exit_code = 1;
};
// The same for the same failure: paths, line numbers, addresses, times, process
// ids, temporary names and the order of arguments do not count. 16 hex digits.
std::string failure_signature(const FailureReport& report);
// What of a message the signature sees.
std::string normalized_failure(std::string_view stderr_text);

}  // namespace lamarck::thought
