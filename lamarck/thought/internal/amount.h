// Counts of events, tokens and milliseconds that come from outside: bounded, so
// that sums of them never overflow.

#pragma once

#include <cstdint>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::thought::internal {

inline constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 40;
inline constexpr std::int64_t kMostInAll = std::int64_t{1} << 60;

// What one event may add.
constexpr bool is_amount(std::int64_t value) {
  return value >= 0 && value <= kMostAtOnce;
}

// The field `name`, from 0 to `most`; else DataDamaged.
Result<std::int64_t> amount_field(const Json& object, std::string_view name,
                                  std::int64_t most = kMostInAll);

}  // namespace lamarck::thought::internal
