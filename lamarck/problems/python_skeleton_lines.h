// Splits a Python text into logical lines and tokens. That is enough to find
// functions and to compare texts, but not to check their syntax.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::problems {

// A logical line, which may span several physical lines. Comments and blank
// lines belong to none.
struct PythonLine {
  std::size_t begin = 0;   // Start of its first line, before the indentation.
  std::size_t end = 0;     // After the newline of its last line.
  std::size_t indent = 0;  // In columns.
  std::vector<std::string_view> tokens;  // Point into the text.
};

// Never fails: an open bracket or triple-quoted string extends to the end.
std::vector<PythonLine> python_lines(std::string_view source);

struct PythonFunction {
  std::string name;
  std::vector<std::string> arguments;
};

// Returns the function that `line` begins; its name is empty if there is none.
PythonFunction python_function(const PythonLine& line);

// Returns the docstring of the function `name`, without quotes and common
// indentation; empty if there is none.
std::string python_docstring(std::string_view source, std::string_view name);

// Equal for texts that differ only in comments, docstrings, blank lines, the
// width of indentation and the spaces between tokens.
std::uint64_t python_hash(std::string_view source);

}  // namespace lamarck::problems
