#include "lamarck/formula/internal/expression_syntax.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::formula {
namespace {

// Operators by precedence, from loosest to tightest.
constexpr std::array<std::string_view, 1> kBitOr = {"|"};
constexpr std::array<std::string_view, 1> kBitXor = {"^"};
constexpr std::array<std::string_view, 1> kBitAnd = {"&"};
constexpr std::array<std::string_view, 2> kSums = {"+", "-"};
constexpr std::array<std::string_view, 5> kProducts = {"*", "/", "//", "%",
                                                       "@"};
constexpr std::array<std::span<const std::string_view>, 5> kRanks = {
    kBitOr, kBitXor, kBitAnd, kSums, kProducts};
constexpr std::array<std::string_view, 6> kComparisons = {
    "<", ">", "<=", ">=", "==", "!="};

Syntax make_syntax(SyntaxKind kind, Position position) {
  Syntax result;
  result.kind = kind;
  result.position = position;
  return result;
}

Syntax make_syntax(SyntaxKind kind, Position position, Syntax child) {
  Syntax result = make_syntax(kind, position);
  result.children.push_back(std::move(child));
  return result;
}

bool is_operator_in(const Token& token,
                    std::span<const std::string_view> words) {
  return token.kind == TokenKind::Operator &&
         std::find(words.begin(), words.end(), token.text) != words.end();
}

Error no_comprehension(Position where) {
  return unsupported_at(where, "a comprehension",
                        "write a loop such as 'for i in range(3):'");
}

}  // namespace

Error ExpressionSyntax::too_deep() const {
  return error_at(cursor_.position(),
                  fmt::format("more than {} levels are nested here; assign "
                              "parts of the formula to names.",
                              options_.max_depth));
}

bool ExpressionSyntax::is_power_here() const {
  return cursor_.at("**") || (options_.is_caret_power && cursor_.at("^"));
}

Result<Syntax> ExpressionSyntax::expression_list() {
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax first, expression());
  if (!cursor_.at(",")) return first;
  Syntax list = make_syntax(SyntaxKind::Sequence, start, std::move(first));
  while (cursor_.take(",")) {
    // A trailing comma, as in "a, = x".
    if (cursor_.at(TokenKind::Newline) || cursor_.at("=") ||
        cursor_.at(TokenKind::End)) {
      break;
    }
    ASSIGN_OR_RETURN(Syntax next, expression());
    list.children.push_back(std::move(next));
  }
  return list;
}

Result<Syntax> ExpressionSyntax::expression() {
  return deeper([&]() -> Result<Syntax> {
    const Position start = cursor_.position();
    ASSIGN_OR_RETURN(Syntax value, disjunction());
    if (cursor_.at(":=")) {
      return unsupported_at(cursor_.position(), "':='",
                            "assign on a separate line");
    }
    if (!cursor_.take("if")) return value;
    // The condition is stored first, although the source has it second.
    Syntax result = make_syntax(SyntaxKind::Conditional, start);
    ASSIGN_OR_RETURN(Syntax condition, disjunction());
    RETURN_IF_ERROR(cursor_.expect("else", "'a if condition else b'"));
    ASSIGN_OR_RETURN(Syntax otherwise, expression());
    result.children.push_back(std::move(condition));
    result.children.push_back(std::move(value));
    result.children.push_back(std::move(otherwise));
    return result;
  });
}

Result<Syntax> ExpressionSyntax::disjunction() {
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax first, conjunction());
  if (!cursor_.at("or")) return first;
  Syntax result = make_syntax(SyntaxKind::Or, start, std::move(first));
  while (cursor_.take("or")) {
    ASSIGN_OR_RETURN(Syntax next, conjunction());
    result.children.push_back(std::move(next));
  }
  return result;
}

Result<Syntax> ExpressionSyntax::conjunction() {
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax first, negation());
  if (!cursor_.at("and")) return first;
  Syntax result = make_syntax(SyntaxKind::And, start, std::move(first));
  while (cursor_.take("and")) {
    ASSIGN_OR_RETURN(Syntax next, negation());
    result.children.push_back(std::move(next));
  }
  return result;
}

Result<Syntax> ExpressionSyntax::negation() {
  const Position start = cursor_.position();
  if (!cursor_.take("not")) return comparison();
  ASSIGN_OR_RETURN(Syntax argument, deeper([&] { return negation(); }));
  return make_syntax(SyntaxKind::Not, start, std::move(argument));
}

Result<Syntax> ExpressionSyntax::comparison() {
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax first, arithmetic(0));
  if (cursor_.at("is") || cursor_.at("in") ||
      (cursor_.at("not") && cursor_.peek(1).text == "in")) {
    return unsupported_at(cursor_.position(),
                          fmt::format("'{}'", cursor_.peek().text),
                          "compare numbers with ==, !=, <, <=, > or >=");
  }
  if (!is_operator_in(cursor_.peek(), kComparisons)) return first;
  Syntax result = make_syntax(SyntaxKind::Comparison, start, std::move(first));
  while (is_operator_in(cursor_.peek(), kComparisons)) {
    result.words.push_back(cursor_.next().text);
    ASSIGN_OR_RETURN(Syntax next, arithmetic(0));
    result.children.push_back(std::move(next));
  }
  return result;
}

Result<Syntax> ExpressionSyntax::arithmetic(std::size_t rank) {
  if (rank == kRanks.size()) return sign();
  // As a power, ^ binds more tightly; power() handles it.
  if (kRanks[rank][0] == "^" && options_.is_caret_power) {
    return arithmetic(rank + 1);
  }
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax first, arithmetic(rank + 1));
  if (!is_operator_in(cursor_.peek(), kRanks[rank])) return first;
  Syntax result = make_syntax(SyntaxKind::Arithmetic, start, std::move(first));
  while (is_operator_in(cursor_.peek(), kRanks[rank])) {
    if (cursor_.at("@")) {
      return unsupported_at(cursor_.position(), "the matrix product '@'",
                            "write out the products and sums");
    }
    // Operators of one rank are collected in a list, not nested.
    result.words.push_back(cursor_.next().text);
    ASSIGN_OR_RETURN(Syntax next, arithmetic(rank + 1));
    result.children.push_back(std::move(next));
  }
  return result;
}

Result<Syntax> ExpressionSyntax::sign() {
  if (!cursor_.at("-") && !cursor_.at("+") && !cursor_.at("~")) return power();
  Syntax result = make_syntax(SyntaxKind::Sign, cursor_.position());
  result.words.push_back(cursor_.next().text);
  ASSIGN_OR_RETURN(Syntax argument, deeper([&] { return sign(); }));
  result.children.push_back(std::move(argument));
  return result;
}

Result<Syntax> ExpressionSyntax::power() {
  const Position start = cursor_.position();
  ASSIGN_OR_RETURN(Syntax base, postfix());
  if (!is_power_here()) return base;
  cursor_.next();
  // The exponent may have a sign or be a power itself: ** groups from the
  // right.
  Syntax result = make_syntax(SyntaxKind::Power, start, std::move(base));
  ASSIGN_OR_RETURN(Syntax exponent, deeper([&] { return sign(); }));
  result.children.push_back(std::move(exponent));
  return result;
}

Result<Syntax> ExpressionSyntax::postfix() {
  ASSIGN_OR_RETURN(Syntax result, atom());
  // A chain such as a.b.c nests as deep as it is long.
  for (std::size_t links = 0;; ++links) {
    if (depth_ + links > options_.max_depth) return too_deep();
    if (cursor_.at("(")) {
      ASSIGN_OR_RETURN(result, call(std::move(result)));
    } else if (cursor_.at("[")) {
      ASSIGN_OR_RETURN(result, subscript(std::move(result)));
    } else if (cursor_.take(".")) {
      const Position start = result.position;
      ASSIGN_OR_RETURN(const Token name, cursor_.expect_name("'.'"));
      result = make_syntax(SyntaxKind::Attribute, start, std::move(result));
      result.text = name.text;
    } else {
      return result;
    }
  }
}

Result<Syntax> ExpressionSyntax::call(Syntax function) {
  const Position start = function.position;
  cursor_.next();
  Syntax result = make_syntax(SyntaxKind::Call, start, std::move(function));
  while (!cursor_.at(")")) {
    // "name=" in a call is a keyword argument.
    if (cursor_.at(TokenKind::Name) && cursor_.peek(1).text == "=" &&
        cursor_.peek(1).kind == TokenKind::Operator) {
      return unsupported_at(
          cursor_.position(),
          fmt::format("the keyword argument '{}='", cursor_.peek().text),
          "pass arguments by position");
    }
    ASSIGN_OR_RETURN(Syntax argument, expression());
    if (cursor_.at("for")) return no_comprehension(cursor_.position());
    result.children.push_back(std::move(argument));
    if (!cursor_.take(",")) break;
  }
  RETURN_IF_ERROR(cursor_.expect(")", "a call"));
  return result;
}

Result<Syntax> ExpressionSyntax::subscript(Syntax whole) {
  const Position start = whole.position;
  cursor_.next();
  Syntax result = make_syntax(SyntaxKind::Subscript, start, std::move(whole));
  ASSIGN_OR_RETURN(Syntax part, subscript_part());
  if (cursor_.at(",")) {
    part = make_syntax(SyntaxKind::Sequence, start, std::move(part));
    while (cursor_.take(",") && !cursor_.at("]")) {
      ASSIGN_OR_RETURN(Syntax next, subscript_part());
      part.children.push_back(std::move(next));
    }
  }
  result.children.push_back(std::move(part));
  RETURN_IF_ERROR(cursor_.expect("]", "a subscript"));
  return result;
}

Result<Syntax> ExpressionSyntax::subscript_part() {
  Syntax slice = make_syntax(SyntaxKind::Slice, cursor_.position());
  for (;;) {
    const bool is_empty = cursor_.at(":") || cursor_.at("]") || cursor_.at(",");
    if (is_empty) {
      slice.children.push_back(
          make_syntax(SyntaxKind::Empty, cursor_.position()));
    } else {
      ASSIGN_OR_RETURN(Syntax bound, expression());
      slice.children.push_back(std::move(bound));
    }
    if (!cursor_.take(":")) break;
  }
  // Without a colon it is an index, not a slice.
  if (slice.children.size() == 1 &&
      slice.children[0].kind != SyntaxKind::Empty) {
    Syntax only = std::move(slice.children[0]);
    return only;
  }
  return slice;
}

Result<Syntax> ExpressionSyntax::atom() {
  const Token& token = cursor_.peek();
  Syntax result = make_syntax(SyntaxKind::Name, token.position);
  result.text = token.text;
  if (token.kind == TokenKind::Number) {
    result.kind = SyntaxKind::Number;
    result.value = token.value;
    result.is_integer = token.is_integer;
  } else if (token.kind == TokenKind::String) {
    result.kind = SyntaxKind::String;
  } else if (token.kind == TokenKind::Name) {
    if (is_keyword(token.text)) return keyword_atom();
  } else if (cursor_.take("(")) {
    return bracketed(")");
  } else if (cursor_.take("[")) {
    return bracketed("]");
  } else if (cursor_.at("{")) {
    return unsupported_at(token.position, "a dictionary or set",
                          "give each value its own name");
  } else if (cursor_.at("*") || cursor_.at("**") || cursor_.at("...")) {
    return unsupported_at(token.position, fmt::format("'{}' here", token.text),
                          "write out every value");
  } else {
    return error_at(
        token.position,
        fmt::format("expected a number, a name or a formula, got {}.",
                    describe_token(token)));
  }
  cursor_.next();
  // Adjacent strings are concatenated, as in Python.
  while (result.kind == SyntaxKind::String && cursor_.at(TokenKind::String)) {
    result.text += cursor_.next().text;
  }
  return result;
}

Result<Syntax> ExpressionSyntax::keyword_atom() {
  const Token token = cursor_.next();
  Syntax result = make_syntax(SyntaxKind::Number, token.position);
  result.is_integer = true;
  result.value = token.text == "True" ? 1 : 0;
  if (token.text == "True" || token.text == "False") return result;
  if (token.text == "None") {
    result.kind = SyntaxKind::Name;
    result.text = token.text;
    return result;
  }
  if (token.text == "lambda") {
    return unsupported_at(token.position, "a lambda",
                          "define a function with 'def' before this one");
  }
  return error_at(
      token.position,
      fmt::format(
          "expected a number, a name or a formula, got the keyword '{}'.",
          token.text));
}

Result<Syntax> ExpressionSyntax::bracketed(std::string_view closing) {
  Syntax list = make_syntax(SyntaxKind::Sequence, cursor_.position());
  bool has_comma = false;
  while (!cursor_.at(closing)) {
    ASSIGN_OR_RETURN(Syntax next, expression());
    if (cursor_.at("for")) return no_comprehension(cursor_.position());
    list.children.push_back(std::move(next));
    if (!cursor_.take(",")) break;
    has_comma = true;
  }
  RETURN_IF_ERROR(cursor_.expect(closing, "an open bracket"));
  // (a) is a in parentheses, but (a,) and () are sequences.
  if (closing == "]" || has_comma || list.children.empty()) return list;
  Syntax only = std::move(list.children[0]);
  only.is_in_parentheses = true;
  return only;
}

}  // namespace lamarck::formula
