// The escapes of ECMA-262 patterns: \d, \u{1F600}, \p{Letter}.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// One escape as RE2 writes it.
struct PatternEscape {
  std::string set;             // Several characters, inside brackets; or empty.
  char32_t character = 0;      // Where `set` is empty.
  std::size_t size_bytes = 0;  // What was read.
};

// Reads the escape that begins `text` with its backslash, but for \b and \B.
Result<PatternEscape> read_escape(std::string_view text);

// The character as RE2 writes it, inside and outside of brackets.
std::string pattern_character(char32_t character);

Error pattern_error(std::string_view what_is_wrong);

}  // namespace lamarck::schema
