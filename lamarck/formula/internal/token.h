// The words of a Python text.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/syntax_error.h"

namespace lamarck::formula {

enum class TokenKind : std::uint8_t {
  Name,  // Also keywords.
  Number,
  String,    // `text` is what it holds, without escapes.
  Operator,  // Also brackets, commas and the like.
  Newline,   // The end of a statement's line.
  Indent,
  Dedent,
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  double value = 0;         // Of a number.
  bool is_integer = false;  // A number without point and exponent.
  Position position;
};

enum class Layout : std::uint8_t {
  Lines,    // Lines and indentation have a meaning.
  OneLine,  // They have none, and positions are columns alone.
};

// Ends with an End; before it, every Indent has its Dedent.
Result<std::vector<Token>> tokenize(std::string_view source, Layout layout);

bool is_keyword(std::string_view word);
// What a name may begin and go on with: ASCII as in Python, and the letters of
// most scripts. The byte length of the letter that begins `text`, or 0.
std::size_t letter_size(std::string_view text);
bool is_identifier(std::string_view word);  // And no keyword.

}  // namespace lamarck::formula
