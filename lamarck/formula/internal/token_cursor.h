// A place in a list of tokens.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/token.h"

namespace lamarck::formula {

// How a token is called in an error: "'+'", "the end of the line".
std::string spoken(const Token& token);

// Owned by one thread. The tokens end with an End, which is never passed.
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
  // A keyword or an operator.
  bool at(std::string_view word) const {
    return (at(TokenKind::Name) || at(TokenKind::Operator)) &&
           peek().text == word;
  }
  // Whether it was there; then it is passed.
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
  // An error that says what `purpose` needs, if it is not there.
  Result<void> expect(std::string_view word, std::string_view purpose);
  // A name that is no keyword.
  Result<Token> expect_name(std::string_view purpose);

 private:
  std::vector<Token> tokens_;
  std::size_t place_ = 0;
};

}  // namespace lamarck::formula
