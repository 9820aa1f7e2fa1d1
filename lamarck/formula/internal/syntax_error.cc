#include "lamarck/formula/internal/syntax_error.h"

#include <fmt/format.h>

namespace lamarck::formula {
namespace {

Error error_with_position(ErrorCode code, Position where,
                          const std::string& message) {
  const std::string line =
      where.line == 0 ? "Column" : fmt::format("Line {}, column", where.line);
  return {code,
          fmt::format("{} {}: {}", line, where.column, message),
          {{"line", std::to_string(where.line)},
           {"column", std::to_string(where.column)}}};
}

}  // namespace

Error error_at(Position where, const std::string& message) {
  return error_with_position(ErrorCode::InvalidArgument, where, message);
}

Error unsupported_at(Position where, std::string_view what,
                     std::string_view instead) {
  return error_with_position(
      ErrorCode::Unsupported, where,
      fmt::format("{} is not supported; {}.", what, instead));
}

}  // namespace lamarck::formula
