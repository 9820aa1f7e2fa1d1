// Parses expressions with Python's precedence, by recursive descent.

#pragma once

#include <cstddef>

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/syntax.h"
#include "lamarck/formula/internal/token_cursor.h"

namespace lamarck::formula {

struct ExpressionSyntaxOptions {
  std::size_t max_depth = 200;
  bool is_caret_power = false;  // ^ means **, not exclusive or.
};

class ExpressionSyntax {
 public:
  // The cursor must outlive it.
  ExpressionSyntax(TokenCursor& cursor, ExpressionSyntaxOptions options)
      : cursor_(cursor), options_(options) {}

  Result<Syntax> expression();
  // Also accepts `a, b`, which is a sequence.
  Result<Syntax> expression_list();

  // Calls `read` one level deeper; fails beyond the maximum depth, which
  // protects the call stack.
  template <class Read>
  auto deeper(Read read) -> decltype(read()) {
    if (depth_ >= options_.max_depth) return too_deep();
    ++depth_;
    auto result = read();
    --depth_;
    return result;
  }

 private:
  Error too_deep() const;
  bool is_power_here() const;

  Result<Syntax> disjunction();
  Result<Syntax> conjunction();
  Result<Syntax> negation();
  Result<Syntax> comparison();
  Result<Syntax> arithmetic(std::size_t rank);
  Result<Syntax> sign();
  Result<Syntax> power();
  Result<Syntax> postfix();
  Result<Syntax> call(Syntax function);
  Result<Syntax> subscript(Syntax whole);
  Result<Syntax> subscript_part();
  Result<Syntax> atom();
  Result<Syntax> keyword_atom();
  Result<Syntax> bracketed(std::string_view closing);

  TokenCursor& cursor_;
  ExpressionSyntaxOptions options_;
  std::size_t depth_ = 0;
};

}  // namespace lamarck::formula
