// Reads and writes docstrings.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// Removes the indentation that all lines after the first share, and blank lines
// and spaces at both ends.
std::string clean_docstring(std::string_view raw);

// Returns a Python string literal in """, with each line after the first
// indented.
std::string quoted_docstring(std::string_view docstring,
                             std::string_view indentation);

}  // namespace lamarck::formula
