// Python text taken apart at its top level, without understanding the rest.

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
  Definition,  // A class, or a name that gets a value.
  Other,       // Calls, conditions, and what is no code at all.
};

// One statement of the top level with all lines that belong to it.
struct SourceBlock {
  SourceKind kind = SourceKind::Other;
  std::string name;  // Of a function.
  std::string text;  // Ends in a line end.
};

// Strings, brackets and comments may hold anything. A line that begins with
// "def " is always the beginning of a function, unless it stands in a text of
// three quotes.
std::vector<SourceBlock> source_blocks(std::string_view source);

std::vector<std::string> source_lines(std::string_view source);
std::size_t indentation(std::string_view line);
bool is_blank(std::string_view line);

// Without the spaces that all lines begin with; tabs count as four spaces.
std::string dedented(std::string_view source);
// With `spaces` more before each line that is not blank.
std::string indented(std::string_view source, std::size_t spaces);

// Whether `name` is called: the whole word, with a bracket behind it.
bool calls(std::string_view source, std::string_view name);
// Definition and calls of `from` become those of `to`.
std::string with_renamed(std::string_view source, std::string_view from,
                         std::string_view to);

// The header of a function's text, from "def" to the colon that ends it; empty
// if there is none.
std::string header_of(std::string_view function_text);

}  // namespace lamarck::archipelago
