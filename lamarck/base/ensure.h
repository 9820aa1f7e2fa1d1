// Two promises, checked in every build:
//
//   ENSURE(condition, "what should hold")      ours; throws InvariantError
//   REQUIRE(condition, "Type::call: it must")  the caller's; throws LogicError

#pragma once

#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::internal {

[[noreturn]] void fail_ensure(std::string_view condition,
                              std::string_view what_should_hold,
                              std::string_view file, int line);

[[noreturn]] void fail_require(std::string_view what_is_required);

}  // namespace lamarck::internal

// The words name the operation and what it needs.
#define REQUIRE(condition, what_is_required)               \
  do {                                                     \
    if (!(condition)) [[unlikely]] {                       \
      ::lamarck::internal::fail_require(what_is_required); \
    }                                                      \
  } while (false)

#define ENSURE(condition, what_should_hold)                                    \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      ::lamarck::internal::fail_ensure(#condition, what_should_hold, __FILE__, \
                                       __LINE__);                              \
    }                                                                          \
  } while (false)
