// A fast parser for valid JSON, several times faster than nlohmann's.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck {

// Returns the same value as parse_json, or nullopt if the text is invalid,
// nests deeper than `max_depth`, or holds a number out of range. The caller
// then lets nlohmann's parser produce the error message.
std::optional<Json> parse_valid_json(std::string_view text,
                                     std::size_t max_depth);

}  // namespace lamarck
