// Vector clocks: the causal order of events without a common clock.

#pragma once

#include <string_view>

#include "lamarck/store/event.h"

namespace lamarck::store {

// Counts one more step of `node`.
void increment(ClockCounts& clock, std::string_view node);

// Merges `other` into the clock of `node`: takes the maximum of each count,
// then counts one step of `node`.
void merge(ClockCounts& clock, const ClockCounts& other, std::string_view node);

// True if every count of `a` is at most that of `b`, and one is smaller. A
// missing count is 0.
bool happens_before(const ClockCounts& a, const ClockCounts& b);

// True if the clocks differ and neither happened before the other.
bool is_concurrent(const ClockCounts& a, const ClockCounts& b);

}  // namespace lamarck::store
