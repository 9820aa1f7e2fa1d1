// A Python text cut into logical lines and these into tokens: enough to find a
// function and to compare two texts, not to judge whether they are right.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::problems {

// A statement, however many lines it takes. Comments and blank lines belong to
// none.
struct PythonLine {
  std::size_t begin = 0;   // Of its first line, with the blanks before it.
  std::size_t end = 0;     // Behind the newline of its last.
  std::size_t indent = 0;  // Columns.
  std::vector<std::string_view> tokens;  // Point into the text.
};

// Never fails: a string or bracket that is not closed extends to the end.
std::vector<PythonLine> python_lines(std::string_view source);

struct PythonFunction {
  std::string name;
  std::vector<std::string> arguments;
};

// The function that `line` begins; without a name if it begins none.
PythonFunction python_function(const PythonLine& line);

// Equal for texts that differ only in comments, docstrings, blank lines, the
// width of indents and blanks between words.
std::uint64_t python_hash(std::string_view source);

}  // namespace lamarck::problems
