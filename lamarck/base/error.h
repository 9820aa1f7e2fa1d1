// Errors: a code for programs and a sentence for people.

#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace lamarck {

// What a caller can do about a failure. The names appear in JSON and HTTP
// replies; add new ones, but never rename or remove any.
enum class ErrorCode : std::uint8_t {
  InvalidArgument,     // The request is wrong; change it.
  NotFound,            // Nothing has that name.
  AlreadyExists,       // The name is taken.
  Conflict,            // A concurrent change got in the way; reload and retry.
  FailedPrecondition,  // Not now; something else must happen first.
  PermissionDenied,    // The caller is known but not allowed.
  Unauthenticated,     // The caller is not identified.
  BudgetExceeded,      // A limit of time, money or work is used up.
  Timeout,             // It took too long.
  Cancelled,           // Cancellation was requested.
  Unavailable,         // The other side is down or busy; retry later.
  DataDamaged,         // Stored bytes are not what was written.
  Unsupported,         // Valid, but this build or format cannot do it.
  IoFailed,            // The operating system refused a read or a write.
  Internal,            // A bug in this library.
};

// "invalid_argument" and so on. `parse_error_code` is the inverse; it returns
// Internal for an unknown name.
std::string_view error_code_name(ErrorCode code);
ErrorCode parse_error_code(std::string_view name);

// A failure as a value. The message is a whole sentence that names the
// offending value and, where it helps, the remedy.
class Error {
 public:
  using Fields = std::map<std::string, std::string, std::less<>>;

  Error(ErrorCode code, std::string message, Fields fields = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const Fields& fields() const { return fields_; }

  // The same error with context prepended: "<context>: <message>".
  Error within(std::string_view context) const;

  friend bool operator==(const Error&, const Error&) = default;

 private:
  ErrorCode code_;
  std::string message_;
  Fields fields_;  // Details for programs, such as {"line", "3"}.
};

inline Error invalid_argument(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

// Thrown when the caller's code is wrong: shapes that do not match, an index
// out of range. The fix is a code change, so callers do not handle it.
class LogicError : public std::logic_error {
 public:
  explicit LogicError(Error error);

  const Error& error() const { return error_; }

 private:
  Error error_;
};

// Thrown by ENSURE when an invariant is violated. An exception rather than an
// abort, so that a server can report it and keep running.
class InvariantError : public LogicError {
 public:
  using LogicError::LogicError;
};

}  // namespace lamarck
