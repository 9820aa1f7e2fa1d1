// The id of a request that cannot be parsed.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::mcp {

// As JSON text, so that the client learns which of its requests was refused;
// "" where there is none that is sure: the text is no object, lacks a method
// (an answer to a request of ours is not answered), or has two ids.
std::string scan_request_id(std::string_view text);

}  // namespace lamarck::mcp
