#include "lamarck/store/vector_clock.h"

#include <algorithm>
#include <string>

namespace lamarck::store {
namespace {

std::uint64_t count_of(const ClockCounts& clock, std::string_view node) {
  const auto found = clock.find(node);
  return found == clock.end() ? 0 : found->second;
}

// Whether no count of `a` exceeds that of `b`.
bool is_at_most(const ClockCounts& a, const ClockCounts& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& entry) {
    return entry.second <= count_of(b, entry.first);
  });
}

}  // namespace

void increment(ClockCounts& clock, std::string_view node) {
  ++clock[std::string(node)];
}

void merge(ClockCounts& clock, const ClockCounts& other,
           std::string_view node) {
  for (const auto& [name, count] : other) {
    std::uint64_t& own = clock[name];
    own = std::max(own, count);
  }
  increment(clock, node);
}

bool happens_before(const ClockCounts& a, const ClockCounts& b) {
  return is_at_most(a, b) && !is_at_most(b, a);
}

bool is_concurrent(const ClockCounts& a, const ClockCounts& b) {
  return !is_at_most(a, b) && !is_at_most(b, a);
}

}  // namespace lamarck::store
