#include <algorithm>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/meaning.h"
#include "lamarck/formula/internal/statement_syntax.h"
#include "lamarck/formula/internal/token_cursor.h"

namespace lamarck::formula {
namespace {

// Whether the argument is subscripted somewhere, as a vector would be.
bool is_subscripted(const Syntax& syntax, const std::string& name) {
  if (syntax.kind == SyntaxKind::Subscript &&
      syntax.children[0].kind == SyntaxKind::Name &&
      syntax.children[0].text == name) {
    return true;
  }
  return std::any_of(
      syntax.children.begin(), syntax.children.end(),
      [&](const Syntax& child) { return is_subscripted(child, name); });
}

bool is_vector(const std::vector<Statement>& statements,
               const std::string& name);

// Whether the argument is subscripted or unpacked, and so must be a vector.
bool is_vector(const Statement& statement, const std::string& name) {
  const bool is_unpacked = statement.value.kind == SyntaxKind::Name &&
                           statement.value.text == name &&
                           !statement.targets.empty() &&
                           statement.targets[0].kind == SyntaxKind::Sequence;
  if (is_unpacked || is_subscripted(statement.value, name)) return true;
  for (const Syntax& condition : statement.conditions) {
    if (is_subscripted(condition, name)) return true;
  }
  return std::any_of(statement.blocks.begin(), statement.blocks.end(),
                     [&](const auto& block) { return is_vector(block, name); });
}

bool is_vector(const std::vector<Statement>& statements,
               const std::string& name) {
  return std::any_of(
      statements.begin(), statements.end(),
      [&](const Statement& each) { return is_vector(each, name); });
}

// The index of the argument that is the vector of constants, or the number of
// arguments if there is none.
std::size_t params_index(const FunctionSyntax& function) {
  const auto& arguments = function.arguments;
  if (!arguments.empty() && arguments.back() == "params") {
    return arguments.size() - 1;
  }
  // Otherwise the last argument that is used like a vector.
  for (std::size_t i = arguments.size(); i-- > 0;) {
    if (is_vector(function.body, arguments[i])) return i;
  }
  return arguments.size();
}

const FunctionSyntax* chosen_function(const ModuleSyntax& module,
                                      std::string_view name) {
  const auto named =
      std::find_if(module.functions.rbegin(), module.functions.rend(),
                   [&](const auto& each) { return each.name == name; });
  if (named != module.functions.rend()) return &*named;
  return module.functions.empty() ? nullptr : &module.functions.back();
}

Result<Formula> translate(const ModuleSyntax& module,
                          const FunctionSyntax& function,
                          const ParseLimits& limits) {
  Meaning meaning(module, limits);
  meaning.assign_globals();
  Formula formula;
  formula.name = function.name;
  formula.docstring = function.docstring;
  std::vector<Value> arguments;
  const std::size_t params = params_index(function);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    if (i == params) {
      arguments.push_back({.kind = ValueKind::Params});
      continue;
    }
    const auto index = static_cast<std::uint32_t>(formula.inputs.size());
    arguments.push_back(Value::number(meaning.builder().input(index)));
    formula.inputs.push_back(function.arguments[i]);
  }
  ASSIGN_OR_RETURN(
      const Value result,
      meaning.call(function, std::move(arguments), function.position));
  if (result.kind == ValueKind::Unset) {
    return error_at(function.position, result.reason);
  }
  if (result.kind != ValueKind::Number) {
    return error_at(function.position,
                    fmt::format("'{}' must return one number, got several.",
                                function.name));
  }
  if (meaning.builder().node_count() > limits.nodes) {
    return error_at(function.position,
                    fmt::format("the formula has more than {} parts; make it "
                                "shorter.",
                                limits.nodes));
  }
  formula.body = meaning.builder().finish(result.node);
  return formula;
}

}  // namespace

Result<Formula> parse_python(std::string_view source, std::string_view name,
                             ParseLimits limits) {
  if (source.size() > limits.source_bytes) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The source must have at most {} bytes, got {}.",
                             limits.source_bytes, source.size()));
  }
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(source, Layout::Lines));
  TokenCursor cursor(std::move(tokens));
  ASSIGN_OR_RETURN(const ModuleSyntax module,
                   read_module(cursor, limits.depth));
  const FunctionSyntax* function = chosen_function(module, name);
  if (function == nullptr) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The source contains no function; write 'def "
                             "{}(x, params):' and a 'return'.",
                             one_line(name, 40)));
  }
  return translate(module, *function, limits);
}

}  // namespace lamarck::formula
