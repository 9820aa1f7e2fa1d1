// Texts that say nothing.

#pragma once

#include <string_view>

namespace lamarck::thought::internal {

// Whether all of it is white space or without width; also of an empty text.
bool is_blank(std::string_view text);

}  // namespace lamarck::thought::internal
