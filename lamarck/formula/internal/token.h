// Splits a Python source into tokens.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/syntax_error.h"

namespace lamarck::formula {

enum class TokenKind : std::uint8_t {
  Name,  // Including keywords.
  Number,
  String,    // `text` is the content with escapes resolved.
  Operator,  // Including brackets and punctuation.
  Newline,   // The end of a logical line.
  Indent,
  Dedent,
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  double value = 0;         // For a number.
  bool is_integer = false;  // A number without point or exponent.
  Position position;
};

enum class Layout : std::uint8_t {
  Lines,    // Lines and indentation are significant.
  OneLine,  // They are not, and positions have no line.
};

// The result ends with End, and every Indent has a matching Dedent.
Result<std::vector<Token>> tokenize(std::string_view source, Layout layout);

bool is_keyword(std::string_view word);
// The length in bytes of the letter at the start of `text`, or 0 if it does not
// start with one. Letters are ASCII letters, _, and those of the most common
// scripts.
std::size_t letter_size(std::string_view text);
bool is_identifier(std::string_view word);  // Not a keyword.

}  // namespace lamarck::formula
