// A position in a list of tokens.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/token.h"

namespace lamarck::formula {

// Describes a token for an error message: "'+'", "the end of the line".
std::string describe_token(const Token& token);

// The tokens end with End, and the cursor never moves past it. Thread safety:
// owned by one thread.
class TokenCursor {
 public:
  explicit TokenCursor(std::vector<Token> tokens)
      : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(place_ + ahead, tokens_.size() - 1)];
  }
  Token next() {
    const Token& token = peek();
    if (token.kind != TokenKind::End) ++place_;
    return token;
  }
  Position position() const { return peek().position; }

  bool at(TokenKind kind) const { return peek().kind == kind; }
  // Whether the cursor is at this keyword or operator.
  bool at(std::string_view word) const {
    return (at(TokenKind::Name) || at(TokenKind::Operator)) &&
           peek().text == word;
  }
  // Consumes the token if it is there, and returns whether it was.
  bool take(std::string_view word) {
    const bool is_there = at(word);
    if (is_there) ++place_;
    return is_there;
  }
  bool take(TokenKind kind) {
    const bool is_there = at(kind);
    if (is_there && kind != TokenKind::End) ++place_;
    return is_there;
  }
  // Consumes the token or fails; the error says that `purpose` needs it.
  Result<void> expect(std::string_view word, std::string_view purpose);
  // Consumes and returns a name that is not a keyword, or fails.
  Result<Token> expect_name(std::string_view purpose);

 private:
  std::vector<Token> tokens_;
  std::size_t place_ = 0;
};

}  // namespace lamarck::formula
