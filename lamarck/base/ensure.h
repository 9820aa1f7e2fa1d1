// ENSURE(condition, "what should hold"): an invariant of ours, checked in every
// build. Breaking it throws InvariantError with the place.

#pragma once

#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::internal {

[[noreturn]] void fail_ensure(std::string_view condition,
                              std::string_view what_should_hold,
                              std::string_view file, int line);

}  // namespace lamarck::internal

#define ENSURE(condition, what_should_hold)                                    \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      ::lamarck::internal::fail_ensure(#condition, what_should_hold, __FILE__, \
                                       __LINE__);                              \
    }                                                                          \
  } while (false)
