// The text that a function begins with.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// Without the indentation that all lines after the first share, and without
// empty lines and blanks at its ends.
std::string clean_docstring(std::string_view raw);

// As Python text, """ and all, with each line after the first indented.
std::string quoted_docstring(std::string_view docstring,
                             std::string_view indentation);

}  // namespace lamarck::formula
