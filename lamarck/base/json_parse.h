// JSON text that is as it should be, read in a fraction of the time that the
// library's parser takes.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck {

// The same value as parse_json; nothing where that has something to explain: a
// mistake, more than `max_depth` levels, a number that JSON cannot hold.
std::optional<Json> parse_valid_json(std::string_view text,
                                     std::size_t max_depth);

}  // namespace lamarck
