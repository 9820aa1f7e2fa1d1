// Splits Python text into its top-level statements without a full parser.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::archipelago {

enum class SourceKind : std::uint8_t {
  Import,
  Function,
  Definition,  // A class or an assignment.
  Other,       // Calls, conditions, and text that is not code.
};

// One top-level statement with all its lines.
struct SourceBlock {
  SourceKind kind = SourceKind::Other;
  std::string name;  // Set for functions.
  std::string text;  // Ends with a newline.
};

// Ignores what is inside strings, brackets and comments. A line that starts
// with "def " always begins a function, unless it is inside a triple-quoted
// string: an unbalanced bracket in prose must not hide the code after it.
std::vector<SourceBlock> source_blocks(std::string_view source);

std::vector<std::string> source_lines(std::string_view source);
std::size_t indentation(std::string_view line);
bool is_blank(std::string_view line);

// Removes the indentation that all lines share; tabs count as four spaces.
std::string dedented(std::string_view source);
// Adds `spaces` spaces before each line that is not blank.
std::string indented(std::string_view source, std::size_t spaces);

// Whether `name` occurs as a whole word before an opening parenthesis.
bool calls(std::string_view source, std::string_view name);
// Renames the definition and calls of `from` to `to`.
std::string with_renamed(std::string_view source, std::string_view from,
                         std::string_view to);

// Returns the header of a function, from "def" to the colon that ends it.
// Returns an empty string if there is none.
std::string find_header(std::string_view function_text);

}  // namespace lamarck::archipelago
