#include "lamarck/thought/failure.h"

#include <array>
#include <set>
#include <string>
#include <vector>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/base/string_split.h"

namespace lamarck::thought {
namespace {

struct Example {
  FailureCategory category;
  std::string_view message;
};

constexpr auto kExamples = [] {
  using enum FailureCategory;
  return std::to_array<Example>({
      {PermissionDenied, "PermissionError: [Errno 13] Permission denied: 'x'"},
      {PermissionDenied, "Error: EACCES: permission denied, open '/etc/x'"},
      {AccessForbidden, "curl: (22) The requested URL returned: 403 Forbidden"},
      {AccessForbidden, "chown: changing ownership: Operation not permitted"},
      {FileNotFound, "cat: a.txt: No such file or directory"},
      {FileNotFound, "ENOENT: no such file or directory, open 'a.json'"},
      {PortInUse, "Error: listen EADDRINUSE: address already in use :::8080"},
      {PortInUse, "Bind for 0.0.0.0:80 failed: port is already allocated"},
      {LockHeld, "sqlite3.OperationalError: database is locked"},
      {LockHeld, "fatal: Unable to create '/r/.git/index.lock': File exists."},
      {LockHeld, "E: Could not get lock /var/lib/dpkg/lock-frontend."},
      {DiskFull, "OSError: [Errno 28] No space left on device"},
      {DiskFull, "write failed: Disk quota exceeded"},
      {MissingDependency, "ModuleNotFoundError: No module named 'numpy'"},
      {MissingDependency, "ImportError: libfoo is needed"},
      {MissingDependency, "Error: Cannot find module 'express'"},
      {MissingDependency, "bash: rg: command not found"},
      {VersionMismatch, "npm ERR! code ERESOLVE"},
      {VersionMismatch, "foo 1.0 requires bar<2, but you have bar 3.1"},
      {ImportError, "ImportError: cannot import name 'x' from 'y'"},
      {ImportError,
       "SyntaxError: The requested module './a.js' does not "
       "provide an export named 'b'"},
      {PathNonCompliant, "docs/A b.md breaks the naming convention"},
      {PathOutsideProject, "fatal: '/etc/passwd' is outside repository"},
      {TestFailed, "=== 1 FAILED, 3 passed in 0.12s ==="},
      {TestFailed, "AssertionError: 1 != 2"},
      {TestFailed, "test result: one has failed"},
      {AssertionError, "a.out: m.c:3: main: Assertion `x > 0' failed."},
      {SyntaxError, "SyntaxError: invalid syntax"},
      {SyntaxError, "bash: line 1: syntax error near unexpected token `('"},
      {Timeout, "TimeoutError: the operation took too long"},
      {Timeout, "connect ETIMEDOUT 10.0.0.1:443"},
      {OutOfMemory, "FATAL ERROR: Allocation failed - heap out of memory"},
      {OutOfMemory, "memory allocation of 4096 bytes failed"},
      {RecursionLimit, "RecursionError: maximum recursion depth exceeded"},
      {RecursionLimit, "RangeError: Maximum call stack size exceeded"},
      {AuthenticationFailed, "remote: Authentication failed for 'https://x'"},
      {AuthenticationFailed, "openai.AuthenticationError: incorrect key"},
      {ConnectionFailed, "curl: (7) Failed to connect to localhost port 80"},
      {ConnectionFailed, "Error: connect ECONNREFUSED 127.0.0.1:5432"},
      {ConnectionFailed, "curl: (6) Could not resolve host: example.invalid"},
      {RateLimited, "HTTP 429 Too Many Requests"},
      {BuildFailed, "ninja: build stopped: subcommand failed."},
      {BuildFailed, "a.cc:(.text+0x5): undefined reference to `f()'"},
      {MergeConflict, "CONFLICT (content): Merge conflict in a.txt"},
      {Crashed, "Segmentation fault (core dumped)"},
      {Unknown, "Something odd happened."},
      {Unknown, "0 failed, 12 passed"},
      {Unknown, "Tests: 0 failed, 12 passed, 12 total"},
      {Unknown, "error: Failed to open the display"},
      {TestFailed, "10 failed, 2 passed"},
      {TestFailed, "0 errors, 3 failed"},
  });
}();

TEST(Failure, ClassifiesByMessage) {
  for (const Example& example : kExamples) {
    EXPECT_EQ(failure_name(classify_failure(example.message, 1)),
              failure_name(example.category))
        << example.message;
  }
}

TEST(Failure, ExamplesCoverEveryCategory) {
  std::set<FailureCategory> seen;
  for (const Example& example : kExamples) seen.insert(example.category);

  EXPECT_EQ(seen.size(), failure_kinds().size());
}

TEST(Failure, EveryKindHasNameAndPattern) {
  using enum FailureCategory;
  std::set<FailureCategory> categories;
  for (const FailureKind& kind : failure_kinds()) {
    categories.insert(kind.category);
    EXPECT_EQ(parse_failure(kind.name).value(), kind.category);
    EXPECT_EQ(failure_name(kind.category), kind.name);
    EXPECT_EQ(kind.pattern.empty(), kind.category == Unknown) << kind.name;
  }

  EXPECT_EQ(categories.size(), static_cast<std::size_t>(Unknown) + 1);
  EXPECT_EQ(failure_kinds().back().category, Unknown);
  EXPECT_FALSE(parse_failure("bad_luck").has_value());
}

// No alternative may be hidden by an alternative of an earlier category.
TEST(Failure, EveryPatternAlternativeIsReachable) {
  using enum FailureCategory;
  for (const FailureKind& kind : failure_kinds()) {
    if (kind.category == Unknown) continue;
    for (std::string_view alternative : split_text(kind.pattern, '|')) {
      const std::string text =
          join_text(split_text(alternative, '*'), " something ");
      EXPECT_EQ(failure_name(classify_failure("x: " + text + ".", 1)),
                kind.name)
          << text;
    }
  }
}

TEST(Failure, ClassificationIgnoresCase) {
  using enum FailureCategory;
  EXPECT_EQ(classify_failure("PERMISSION DENIED", 1), PermissionDenied);
  EXPECT_EQ(classify_failure("test_a ... Failed", 1), TestFailed);
}

TEST(Failure, FirstMatchingKindWins) {
  using enum FailureCategory;
  EXPECT_EQ(classify_failure("FAILED: timed out", 1), TestFailed);
  EXPECT_EQ(classify_failure("ImportError: no such file x", 1), FileNotFound);
}

TEST(Failure, WildcardStaysOnOneLine) {
  using enum FailureCategory;
  EXPECT_EQ(classify_failure("port 80\nis already in use", 1), Unknown);
  EXPECT_EQ(classify_failure("port a\nport 80 is in use", 1), PortInUse);
}

TEST(Failure, ExitCodeDecidesWhenNoPatternMatches) {
  using enum FailureCategory;
  EXPECT_EQ(classify_failure("", 139), Crashed);
  EXPECT_EQ(classify_failure("", 124), Timeout);
  EXPECT_EQ(classify_failure("", 126), PermissionDenied);
  EXPECT_EQ(classify_failure("", 127), MissingDependency);
  EXPECT_EQ(classify_failure("Killed", 137), OutOfMemory);
  EXPECT_EQ(classify_failure("", 1), Unknown);
  EXPECT_EQ(classify_failure("No such file", 124), FileNotFound);
}

TEST(Failure, SearchesBothEndsOfLongText) {
  using enum FailureCategory;
  const std::string noise(10'000'000, 'x');

  EXPECT_EQ(classify_failure("EACCES\n" + noise, 1), PermissionDenied);
  EXPECT_EQ(classify_failure(noise + "\nEACCES", 1), PermissionDenied);
  EXPECT_EQ(classify_failure(noise, 1), Unknown);
}

FailureReport report(std::string stderr_text) {
  return {.stderr_text = std::move(stderr_text),
          .tool = "pytest",
          .arguments = R"({"path": "tests", "verbose": true})",
          .exit_code = 1};
}

TEST(FailureSignature, HasSixteenHexDigits) {
  const std::string signature = failure_signature(report("boom"));

  EXPECT_EQ(signature.size(), 16U);
  EXPECT_EQ(signature.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(FailureSignature, DependsOnMessageToolArgumentsAndExitCode) {
  const FailureReport base = report("ValueError: bad colour");
  std::set<std::string> signatures = {failure_signature(base)};
  const auto is_new = [&](FailureReport other) {
    return signatures.insert(failure_signature(other)).second;
  };

  FailureReport other = base;
  other.stderr_text = "TypeError: bad colour";
  EXPECT_TRUE(is_new(other));
  other.stderr_text = "ValueError: bad shape";
  EXPECT_TRUE(is_new(other));
  other = base;
  other.tool = "ctest";
  EXPECT_TRUE(is_new(other));
  other = base;
  other.arguments = R"({"path": "tests", "verbose": false})";
  EXPECT_TRUE(is_new(other));
  other.arguments = "";
  EXPECT_TRUE(is_new(other));
  other = base;
  other.exit_code = 2;
  EXPECT_TRUE(is_new(other));
}

TEST(FailureSignature, IgnoresArgumentOrder) {
  FailureReport one = report("boom");
  FailureReport other = one;
  other.arguments = R"({"verbose":true,   "path":"tests"})";

  EXPECT_EQ(failure_signature(one), failure_signature(other));
}

TEST(FailureSignature, UsesNonJsonArgumentsVerbatim) {
  FailureReport one = report("boom");
  one.arguments = "-v \xff";
  FailureReport other = one;
  other.arguments = "-q \xff";

  EXPECT_NE(failure_signature(one), failure_signature(other));
}

}  // namespace
}  // namespace lamarck::thought
