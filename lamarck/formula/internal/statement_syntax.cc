#include "lamarck/formula/internal/statement_syntax.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/formula/internal/docstring.h"
#include "lamarck/formula/internal/expression_syntax.h"

namespace lamarck::formula {
namespace {

struct UnsupportedKeyword {
  std::string_view keyword;
  std::string_view what;
  std::string_view instead;
};

constexpr std::array<UnsupportedKeyword, 15> kUnsupportedKeywords = {{
    {"while", "a while loop",
     "use a fixed number of steps, as in 'for i in range(10):'"},
    {"class", "a class", "write a function with numbers as arguments"},
    {"try", "'try'", "use np.where to stay where a value is defined"},
    {"with", "'with'", "remove it"},
    {"global", "'global'", "pass the value as an argument"},
    {"nonlocal", "'nonlocal'", "pass the value as an argument"},
    {"raise", "'raise'", "return a value such as 0.0"},
    {"assert", "'assert'", "remove it"},
    {"del", "'del'", "remove it"},
    {"break", "'break'", "choose the number of steps, or use np.where"},
    {"continue", "'continue'", "put the rest of the loop under an 'if'"},
    {"yield", "a generator", "return one value"},
    {"async", "'async'", "write a plain function"},
    {"await", "'await'", "write a plain function"},
    {"def", "a function within a function", "define it before this one"},
}};

constexpr std::array<std::string_view, 12> kAugmented = {
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "@=", ">>="};

// Whether a value can be assigned to it: a name, or a list of names.
bool is_target(const Syntax& syntax) {
  if (syntax.kind == SyntaxKind::Name) return syntax.text != "None";
  if (syntax.kind != SyntaxKind::Sequence) return false;
  for (const Syntax& child : syntax.children) {
    if (child.kind != SyntaxKind::Name) return false;
  }
  return !syntax.children.empty();
}

class StatementReader {
 public:
  StatementReader(TokenCursor& cursor, std::size_t max_depth)
      : cursor_(cursor), expressions_(cursor, {.max_depth = max_depth}) {}

  Result<ModuleSyntax> module() {
    ModuleSyntax result;
    result.modules = {"np", "numpy", "math"};
    while (!cursor_.at(TokenKind::End)) {
      RETURN_IF_ERROR(top_level(result));
    }
    return result;
  }

 private:
  Result<void> top_level(ModuleSyntax& module) {
    if (cursor_.take(TokenKind::Newline) || cursor_.take(";")) return {};
    if (cursor_.at("import") || cursor_.at("from")) {
      return read_import(module);
    }
    // Decorators do not change a formula.
    if (cursor_.at("@")) return skip_line();
    if (cursor_.take("def")) {
      ASSIGN_OR_RETURN(FunctionSyntax read, function());
      module.functions.push_back(std::move(read));
      return {};
    }
    if (cursor_.at(TokenKind::Indent)) {
      return error_at(cursor_.position(),
                      "this line is indented but not part of a function; start "
                      "it at the first column.");
    }
    if (cursor_.at("if") || cursor_.at("for")) {
      return unsupported_at(
          cursor_.position(),
          fmt::format("'{}' outside of a function", cursor_.peek().text),
          "write only functions and constants");
    }
    return simple_statements(module.assignments);
  }

  Result<void> skip_line() {
    while (!cursor_.at(TokenKind::Newline) && !cursor_.at(TokenKind::End)) {
      cursor_.next();
    }
    return {};
  }

  // Records the aliases of numpy and math; ignores all other imports.
  Result<void> read_import(ModuleSyntax& module) {
    cursor_.next();
    while (!cursor_.at(TokenKind::Newline) && !cursor_.at(TokenKind::End)) {
      const Token token = cursor_.next();
      const bool is_known = token.text == "numpy" || token.text == "math";
      if (is_known && cursor_.at("as") &&
          cursor_.peek(1).kind == TokenKind::Name) {
        module.modules.push_back(cursor_.peek(1).text);
      }
    }
    return {};
  }

  Result<FunctionSyntax> function() {
    FunctionSyntax result;
    ASSIGN_OR_RETURN(const Token name, cursor_.expect_name("'def'"));
    result.name = name.text;
    result.position = name.position;
    RETURN_IF_ERROR(cursor_.expect("(", "a function"));
    while (!cursor_.at(")")) {
      RETURN_IF_ERROR(argument(result));
      if (!cursor_.take(",")) break;
    }
    RETURN_IF_ERROR(cursor_.expect(")", "the list of arguments"));
    if (cursor_.take("->")) {
      RETURN_IF_ERROR(expressions_.expression());
    }
    ASSIGN_OR_RETURN(result.body, block("a function", &result.docstring));
    return result;
  }

  Result<void> argument(FunctionSyntax& function) {
    if (cursor_.at("*") || cursor_.at("**") || cursor_.at("/")) {
      return unsupported_at(
          cursor_.position(),
          fmt::format("'{}' among the arguments", cursor_.peek().text),
          "name every argument");
    }
    ASSIGN_OR_RETURN(const Token name,
                     cursor_.expect_name("the list of arguments"));
    for (const std::string& other : function.arguments) {
      if (other != name.text) continue;
      return error_at(name.position,
                      fmt::format("the argument '{}' occurs twice; rename one.",
                                  name.text));
    }
    function.arguments.push_back(name.text);
    if (cursor_.take(":")) {
      RETURN_IF_ERROR(expressions_.expression());
    }
    if (!cursor_.at("=")) return {};
    return unsupported_at(cursor_.position(), "a default value",
                          "remove it and pass every argument");
  }

  // Parses what follows a colon: statements on the same line, or an indented
  // block. A string at the start is stored in `docstring` unless that is null.
  Result<std::vector<Statement>> block(std::string_view purpose,
                                       std::string* docstring = nullptr) {
    using Statements = std::vector<Statement>;
    return expressions_.deeper([&]() -> Result<Statements> {
      RETURN_IF_ERROR(cursor_.expect(":", purpose));
      Statements statements;
      if (!cursor_.take(TokenKind::Newline)) {
        RETURN_IF_ERROR(simple_statements(statements, docstring));
        return statements;
      }
      if (!cursor_.take(TokenKind::Indent)) {
        return error_at(
            cursor_.position(),
            fmt::format("{} needs an indented block here.", purpose));
      }
      while (!cursor_.take(TokenKind::Dedent)) {
        RETURN_IF_ERROR(statement(statements, docstring));
        docstring = nullptr;
      }
      return statements;
    });
  }

  Result<void> statement(std::vector<Statement>& out, std::string* docstring) {
    if (cursor_.at("if")) return if_statement(out);
    if (cursor_.at("for")) return for_statement(out);
    if (cursor_.at(TokenKind::Indent)) {
      return error_at(cursor_.position(),
                      "this line is indented more than the one above; give "
                      "both the same indentation.");
    }
    return simple_statements(out, docstring);
  }

  Result<void> if_statement(std::vector<Statement>& out) {
    Statement result;
    result.kind = StatementKind::If;
    result.position = cursor_.position();
    while (cursor_.take("if") || cursor_.take("elif")) {
      ASSIGN_OR_RETURN(Syntax condition, expressions_.expression());
      ASSIGN_OR_RETURN(auto body, block("'if'"));
      result.conditions.push_back(std::move(condition));
      result.blocks.push_back(std::move(body));
      if (!cursor_.at("elif")) break;
    }
    // The last block is the else branch, possibly empty.
    result.blocks.emplace_back();
    if (cursor_.take("else")) {
      ASSIGN_OR_RETURN(result.blocks.back(), block("'else'"));
    }
    out.push_back(std::move(result));
    return {};
  }

  Result<void> for_statement(std::vector<Statement>& out) {
    Statement result;
    result.kind = StatementKind::For;
    result.position = cursor_.position();
    cursor_.next();
    ASSIGN_OR_RETURN(const Token name, cursor_.expect_name("'for'"));
    Syntax target;
    target.kind = SyntaxKind::Name;
    target.position = name.position;
    target.text = name.text;
    result.targets.push_back(std::move(target));
    RETURN_IF_ERROR(cursor_.expect("in", "'for'"));
    ASSIGN_OR_RETURN(result.value, expressions_.expression_list());
    ASSIGN_OR_RETURN(auto body, block("'for'"));
    result.blocks.push_back(std::move(body));
    if (cursor_.at("else")) {
      return unsupported_at(cursor_.position(), "'else' after a loop",
                            "write its body below the loop");
    }
    out.push_back(std::move(result));
    return {};
  }

  // Parses all statements of one line.
  Result<void> simple_statements(std::vector<Statement>& out,
                                 std::string* docstring = nullptr) {
    do {
      if (cursor_.at(TokenKind::Newline)) break;
      RETURN_IF_ERROR(simple_statement(out, docstring));
      docstring = nullptr;
    } while (cursor_.take(";"));
    if (cursor_.take(TokenKind::Newline) || cursor_.at(TokenKind::End)) {
      return {};
    }
    return error_at(cursor_.position(),
                    fmt::format("expected the end of the statement before {}.",
                                describe_token(cursor_.peek())));
  }

  Result<void> simple_statement(std::vector<Statement>& out,
                                std::string* docstring) {
    Statement result;
    result.position = cursor_.position();
    if (cursor_.take("pass")) return {};
    if (cursor_.at("import") || cursor_.at("from")) return skip_line();
    if (cursor_.take("return")) {
      result.kind = StatementKind::Return;
      if (cursor_.at(TokenKind::Newline)) {
        return error_at(result.position,
                        "this 'return' has no value; return a number.");
      }
      ASSIGN_OR_RETURN(result.value, expressions_.expression_list());
      out.push_back(std::move(result));
      return {};
    }
    RETURN_IF_ERROR(reject_unsupported_keyword());
    return assignment(std::move(result), out, docstring);
  }

  Result<void> reject_unsupported_keyword() const {
    for (const UnsupportedKeyword& unsupported : kUnsupportedKeywords) {
      if (!cursor_.at(unsupported.keyword)) continue;
      return unsupported_at(cursor_.position(), unsupported.what,
                            unsupported.instead);
    }
    return {};
  }

  Result<void> assignment(Statement result, std::vector<Statement>& out,
                          std::string* docstring) {
    ASSIGN_OR_RETURN(Syntax left, expressions_.expression_list());
    if (left.kind == SyntaxKind::String && !cursor_.at("=")) {
      if (docstring != nullptr) *docstring = clean_docstring(left.text);
      return {};
    }
    for (const std::string_view each : kAugmented) {
      if (cursor_.at(each)) return augmented(std::move(result), left, out);
    }
    if (cursor_.take(":")) {
      RETURN_IF_ERROR(expressions_.expression());
      if (!cursor_.at("=")) return {};  // A declaration without a value.
    }
    if (!cursor_.at("=")) {
      return unsupported_at(left.position,
                            "a value that is neither assigned nor returned",
                            "write 'name = value' or 'return value'");
    }
    result.kind = StatementKind::Assign;
    while (cursor_.take("=")) {
      RETURN_IF_ERROR(check_target(left));
      result.targets.push_back(std::move(left));
      ASSIGN_OR_RETURN(left, expressions_.expression_list());
    }
    result.value = std::move(left);
    out.push_back(std::move(result));
    return {};
  }

  static Result<void> check_target(const Syntax& target) {
    if (is_target(target)) return {};
    if (target.kind == SyntaxKind::Subscript) {
      return unsupported_at(target.position, "assignment to an element",
                            "use np.where(condition, new, old) and a name");
    }
    return unsupported_at(target.position, "assignment to this",
                          "assign to a name, or to names as in 'a, b = ...'");
  }

  Result<void> augmented(Statement result, const Syntax& target,
                         std::vector<Statement>& out) {
    RETURN_IF_ERROR(check_target(target));
    const Token token = cursor_.next();
    if (target.kind != SyntaxKind::Name || token.text == "@=" ||
        token.text == ">>=") {
      return unsupported_at(token.position,
                            fmt::format("'{}' here", token.text),
                            "write 'name = ...' instead");
    }
    result.kind = StatementKind::Augment;
    result.word = token.text.substr(0, token.text.size() - 1);
    result.targets.push_back(target);
    ASSIGN_OR_RETURN(result.value, expressions_.expression_list());
    out.push_back(std::move(result));
    return {};
  }

  TokenCursor& cursor_;
  ExpressionSyntax expressions_;
};

}  // namespace

Result<ModuleSyntax> read_module(TokenCursor& cursor, std::size_t max_depth) {
  return StatementReader(cursor, max_depth).module();
}

}  // namespace lamarck::formula
