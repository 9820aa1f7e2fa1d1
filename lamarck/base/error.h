// What went wrong, told to a person and to a program.

#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace lamarck {

// What a caller can do about a failure. The names travel in JSON and HTTP
// replies, so they are only ever added.
enum class ErrorCode : std::uint8_t {
  InvalidArgument,     // The request is wrong; change it.
  NotFound,            // Nothing has that name.
  AlreadyExists,       // Something has that name already.
  Conflict,            // It clashes with what happened meanwhile; look again.
  FailedPrecondition,  // Not now; something else must happen first.
  PermissionDenied,    // Known, and not allowed.
  Unauthenticated,     // Not known who asks.
  BudgetExceeded,      // A limit of time, money or work is used up.
  Timeout,             // It took too long.
  Cancelled,           // Somebody asked to stop.
  Unavailable,         // The other side is down or busy; try later.
  DataDamaged,         // Stored bytes are not what was written.
  Unsupported,         // Right, but this build or format cannot do it.
  IoFailed,            // The operating system refused a read or a write.
  Internal,            // A mistake of ours.
};

// "invalid_argument" and so on; `error_code_named` is the inverse and answers
// Internal for a name it does not know.
std::string_view error_code_name(ErrorCode code);
ErrorCode error_code_named(std::string_view name);

// A failure as a value. The message is a whole sentence that names the
// offending value and, where it helps, the remedy.
class Error {
 public:
  using Fields = std::map<std::string, std::string, std::less<>>;

  Error(ErrorCode code, std::string message, Fields fields = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const Fields& fields() const { return fields_; }

  // The same failure seen from further out: "<context>: <message>".
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
// out of range. Code must be changed, so nobody is expected to carry on.
class LogicError : public std::logic_error {
 public:
  explicit LogicError(Error error);

  const Error& error() const { return error_; }

 private:
  Error error_;
};

// Thrown by ENSURE when an invariant of ours does not hold, so that a server
// survives and reports.
class InvariantError : public LogicError {
 public:
  using LogicError::LogicError;
};

}  // namespace lamarck
