// Bounds for counts of events, tokens and milliseconds that come from outside,
// so that their sums cannot overflow.

#pragma once

#include <cstdint>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::thought::internal {

inline constexpr std::int64_t kMaxPerEvent = std::int64_t{1} << 40;
inline constexpr std::int64_t kMaxTotal = std::int64_t{1} << 60;

// Returns whether one event may add `value`.
constexpr bool is_amount(std::int64_t value) {
  return value >= 0 && value <= kMaxPerEvent;
}

// Reads the field `name`; DataDamaged unless it is between 0 and `max`.
Result<std::int64_t> amount_field(const Json& object, std::string_view name,
                                  std::int64_t max = kMaxTotal);

}  // namespace lamarck::thought::internal
