#include "lamarck/base/ensure.h"

#include <string>

namespace lamarck::internal {
namespace {

// The path from `lamarck/` on: where the source was built is nobody's business.
std::string_view short_path(std::string_view path) {
  const std::size_t start = path.rfind("lamarck/");
  const std::size_t root = path.find("lamarck/lamarck/");
  if (root != std::string_view::npos) return path.substr(root + 8);
  return start == std::string_view::npos ? path : path.substr(start);
}

}  // namespace

void fail_ensure(std::string_view condition, std::string_view what_should_hold,
                 const std::source_location& where) {
  const std::string place = std::string(short_path(where.file_name())) + ":" +
                            std::to_string(where.line());
  throw InvariantError(
      Error(ErrorCode::Internal,
            "This should hold but does not: " + std::string(what_should_hold) +
                " (" + std::string(condition) + " at " + place + ").",
            {{"condition", std::string(condition)}, {"place", place}}));
}

}  // namespace lamarck::internal
