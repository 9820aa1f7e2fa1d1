#include "lamarck/base/error.h"

#include <array>
#include <utility>

namespace lamarck {
namespace {

struct CodeName {
  ErrorCode code;
  std::string_view name;
};

constexpr std::array kCodeNames = {
    CodeName{ErrorCode::InvalidArgument, "invalid_argument"},
    CodeName{ErrorCode::NotFound, "not_found"},
    CodeName{ErrorCode::AlreadyExists, "already_exists"},
    CodeName{ErrorCode::Conflict, "conflict"},
    CodeName{ErrorCode::FailedPrecondition, "failed_precondition"},
    CodeName{ErrorCode::PermissionDenied, "permission_denied"},
    CodeName{ErrorCode::Unauthenticated, "unauthenticated"},
    CodeName{ErrorCode::BudgetExceeded, "budget_exceeded"},
    CodeName{ErrorCode::Timeout, "timeout"},
    CodeName{ErrorCode::Cancelled, "cancelled"},
    CodeName{ErrorCode::Unavailable, "unavailable"},
    CodeName{ErrorCode::DataDamaged, "data_damaged"},
    CodeName{ErrorCode::Unsupported, "unsupported"},
    CodeName{ErrorCode::IoFailed, "io_failed"},
    CodeName{ErrorCode::Internal, "internal"},
};

}  // namespace

std::string_view error_code_name(ErrorCode code) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.code == code) return entry.name;
  }
  return "internal";
}

ErrorCode parse_error_code(std::string_view name) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.name == name) return entry.code;
  }
  return ErrorCode::Internal;
}

Error::Error(ErrorCode code, std::string message, Fields fields)
    : code_(code), message_(std::move(message)), fields_(std::move(fields)) {}

Error Error::within(std::string_view context) const {
  return {code_, std::string(context) + ": " + message_, fields_};
}

LogicError::LogicError(Error error)
    : std::logic_error(error.message()), error_(std::move(error)) {}

}  // namespace lamarck
