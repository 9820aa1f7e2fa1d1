// Text in SVG pictures.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::thought::internal {

// Escapes `text` for an XML element: the result is valid UTF-8 without
// characters that XML 1.0 forbids.
std::string svg_escaped(std::string_view text);

// Wraps `text` at blanks into at most `max_lines` lines of `columns` columns
// (an East Asian character or an emoji takes two). An ellipsis marks a cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns,
                                 std::size_t max_lines);

}  // namespace lamarck::thought::internal
