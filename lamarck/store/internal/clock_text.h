// Vector clocks as JSON text, the form in which journals store them.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/store/event.h"

namespace lamarck::store::internal {

// {"node":1}, or "" for an empty clock.
std::string clock_text(const ClockCounts& clock);
// The inverse. Fails for text that is not JSON.
Result<ClockCounts> parse_clock(std::string_view text);

}  // namespace lamarck::store::internal
