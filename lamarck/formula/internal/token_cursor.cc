#include "lamarck/formula/internal/token_cursor.h"

#include <fmt/format.h>

#include "lamarck/base/one_line.h"

namespace lamarck::formula {

std::string describe_token(const Token& token) {
  switch (token.kind) {
    case TokenKind::Newline:
      return "the end of the line";
    case TokenKind::Indent:
      return "an indented line";
    case TokenKind::Dedent:
      return "the end of the block";
    case TokenKind::End:
      return "the end of the text";
    case TokenKind::String:
      return "a string";
    default:
      return in_quotes(token.text, 40);
  }
}

Result<void> TokenCursor::expect(std::string_view word,
                                 std::string_view purpose) {
  if (take(word)) return {};
  return error_at(position(),
                  fmt::format("{} needs '{}' here, got {}.", purpose, word,
                              describe_token(peek())));
}

Result<Token> TokenCursor::expect_name(std::string_view purpose) {
  if (at(TokenKind::Name) && !is_keyword(peek().text)) return next();
  return error_at(position(), fmt::format("{} needs a name here, got {}.",
                                          purpose, describe_token(peek())));
}

}  // namespace lamarck::formula
