// Equality of JSON values as defined by JSON Schema, with numbers compared by
// value, and a matching order.

#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <utility>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// A total order in which 1 and 1.0 are equivalent, and so are objects with
// equal members. Recursive, as deep as both values agree.
std::weak_ordering compare_values(const Json& left, const Json& right);

inline bool equal_values(const Json& left, const Json& right) {
  return compare_values(left, right) == 0;
}

// The positions of two equal items, or nullopt. Takes n log n comparisons.
std::optional<std::pair<std::size_t, std::size_t>> equal_items(
    const Json& array);

// The number of values in `value`, including itself, and whether it nests
// deeper than `max_depth`. Not recursive; stops when it finds such a value.
struct JsonExtent {
  std::size_t value_count = 0;
  bool is_too_deep = false;
};
JsonExtent measure_extent(const Json& value, std::size_t max_depth);

}  // namespace lamarck::schema
