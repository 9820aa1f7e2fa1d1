// Who had seen what: the order of events without a common clock.

#pragma once

#include <string_view>

#include "lamarck/store/event.h"

namespace lamarck::store {

// `node` did one thing more.
void increment(ClockCounts& clock, std::string_view node);

// What `node` knows after hearing from `other`: the greater count of each, and
// one step of its own.
void merge(ClockCounts& clock, const ClockCounts& other, std::string_view node);

// Everything in `a` is in `b`, and `b` has more. A count that is absent is 0.
bool happens_before(const ClockCounts& a, const ClockCounts& b);

// Neither happened before the other, and they differ.
bool is_concurrent(const ClockCounts& a, const ClockCounts& b);

}  // namespace lamarck::store
