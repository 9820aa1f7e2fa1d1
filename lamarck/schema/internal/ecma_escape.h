// The escapes of ECMA-262 patterns: \d, \u{1F600}, \p{Letter}.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// One escape, translated for RE2.
struct PatternEscape {
  std::string set;             // Content of a bracket expression, or empty.
  char32_t character = 0;      // If `set` is empty.
  std::size_t size_bytes = 0;  // Length of the escape.
};

// Reads the escape at the start of `text`, which begins with the backslash.
// Does not handle \b and \B.
Result<PatternEscape> read_escape(std::string_view text);

// The character in RE2 syntax, valid inside and outside of brackets.
std::string pattern_character(char32_t character);

// `what_is_wrong` is a clause that EcmaPattern::compile completes.
Error pattern_error(std::string_view what_is_wrong);

}  // namespace lamarck::schema
