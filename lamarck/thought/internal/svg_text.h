// Text in SVG pictures.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::thought::internal {

// Wraps `text` at blanks into at most `max_lines` lines of `columns` columns
// (an East Asian character or an emoji takes two). An ellipsis marks a cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns,
                                 std::size_t max_lines);

}  // namespace lamarck::thought::internal
