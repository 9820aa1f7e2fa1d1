// Words in pictures.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::thought::internal {

// As the text of an XML element: valid UTF-8 without characters that XML lacks.
std::string svg_escaped(std::string_view text);

// At most `most_lines` lines of `columns` columns (an East Asian character or
// an emoji takes two), broken at blanks where there are some; what was cut is
// shown by an ellipsis.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns,
                                 std::size_t most_lines);

}  // namespace lamarck::thought::internal
