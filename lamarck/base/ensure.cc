#include "lamarck/base/ensure.h"

#include <string>

namespace lamarck::internal {
namespace {

// The path from the last `lamarck/` on, so that messages do not reveal the
// build directory.
std::string_view short_path(std::string_view path) {
  const std::size_t start = path.rfind("lamarck/");
  return start == std::string_view::npos ? path : path.substr(start);
}

}  // namespace

void fail_ensure(std::string_view condition, std::string_view what_should_hold,
                 std::string_view file, int line) {
  const std::string place =
      std::string(short_path(file)) + ":" + std::to_string(line);
  throw InvariantError(
      Error(ErrorCode::Internal,
            "Invariant violated: " + std::string(what_should_hold) + " (" +
                std::string(condition) + " at " + place + ").",
            {{"condition", std::string(condition)}, {"place", place}}));
}

void fail_require(std::string_view message) {
  throw LogicError(invalid_argument(std::string(message)));
}

}  // namespace lamarck::internal
