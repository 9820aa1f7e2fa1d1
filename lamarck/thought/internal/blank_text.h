// Detects texts without visible characters.

#pragma once

#include <string_view>

namespace lamarck::thought::internal {

// Returns whether `text` is empty or consists of white space and zero-width
// characters.
bool is_blank(std::string_view text);

}  // namespace lamarck::thought::internal
