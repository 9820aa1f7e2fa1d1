// Checks that are active in every build:
//
//   ENSURE(condition, "what should hold")
//     An invariant of this library; throws InvariantError.
//   REQUIRE(groups > 0, "Conv2d: groups must be at least 1, got {}.", groups)
//     A precondition that the caller must meet; throws LogicError. The message
//     is a sentence: the operation, what must hold, and what was given.

#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "lamarck/base/error.h"

namespace lamarck::internal {

[[noreturn]] void fail_ensure(std::string_view condition,
                              std::string_view what_should_hold,
                              std::string_view file, int line);

[[noreturn]] void fail_require(std::string_view message);

template <class First, class... Rest>
[[noreturn]] void fail_require(fmt::format_string<First, Rest...> message,
                               First&& first, Rest&&... rest) {
  fail_require(fmt::format(message, std::forward<First>(first),
                           std::forward<Rest>(rest)...));
}

}  // namespace lamarck::internal

// The arguments of the message are evaluated only when the check fails.
#define REQUIRE(condition, ...)                       \
  do {                                                \
    if (!(condition)) [[unlikely]] {                  \
      ::lamarck::internal::fail_require(__VA_ARGS__); \
    }                                                 \
  } while (false)

#define ENSURE(condition, what_should_hold)                                    \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      ::lamarck::internal::fail_ensure(#condition, what_should_hold, __FILE__, \
                                       __LINE__);                              \
    }                                                                          \
  } while (false)
