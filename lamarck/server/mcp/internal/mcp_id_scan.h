// Finds the id of a request that cannot be parsed.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::mcp {

// Returns the id as JSON text, so that the client learns which request failed.
// Returns "" if the id is not certain: the text is not an object, has two ids,
// or lacks a method (a response never gets a reply).
std::string scan_request_id(std::string_view text);

}  // namespace lamarck::mcp
