// Equality of JSON values as JSON Schema means it, numbers by value, and an
// order that goes with it.

#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <utility>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// A total order in which 1 and 1.0 are equivalent, and so are objects with
// equal members. Recursive: as deep as both values agree.
std::weak_ordering compare_values(const Json& left, const Json& right);

inline bool equal_values(const Json& left, const Json& right) {
  return compare_values(left, right) == 0;
}

// The positions of two equal items, if there are some; n log n comparisons.
std::optional<std::pair<std::size_t, std::size_t>> equal_items(
    const Json& array);

// How many values there are in `value`, itself included, and whether they nest
// deeper than `max_depth`. Not recursive; stops at what is too deep.
struct JsonExtent {
  std::size_t value_count = 0;
  bool is_too_deep = false;
};
JsonExtent measure_extent(const Json& value, std::size_t max_depth);

}  // namespace lamarck::schema
