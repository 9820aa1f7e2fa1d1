#include <algorithm>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/expression_syntax.h"
#include "lamarck/formula/internal/known_function.h"
#include "lamarck/formula/internal/meaning.h"
#include "lamarck/formula/internal/printable_names.h"
#include "lamarck/formula/internal/token_cursor.h"

namespace lamarck::formula {
namespace {

Result<Syntax> read_syntax(std::string_view text, const ParseLimits& limits) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(text, Layout::OneLine));
  TokenCursor cursor(std::move(tokens));
  ExpressionSyntax reader(cursor,
                          {.max_depth = limits.depth, .is_caret_power = true});
  ASSIGN_OR_RETURN(Syntax syntax, reader.expression());
  if (cursor.at(TokenKind::End)) return syntax;
  return error_at(
      cursor.position(),
      fmt::format("expected an operator before {}; write products with '*'.",
                  describe_token(cursor.peek())));
}

// Resolves a name that is not an input: a known constant such as pi, or a new
// param.
Result<Value> other_name(Meaning& meaning, Formula& formula,
                         const Syntax& syntax) {
  if (const auto value = known_number(syntax.text)) {
    return Value::number(meaning.builder().constant(*value));
  }
  const auto index = static_cast<std::uint32_t>(formula.param_names.size());
  ASSIGN_OR_RETURN(Value param, meaning.param(index, syntax.position));
  formula.param_names.push_back(syntax.text);
  meaning.scope().assign(syntax.text, param);
  return param;
}

}  // namespace

Result<Formula> parse_infix(std::string_view text,
                            const std::vector<std::string>& inputs,
                            ParseLimits limits) {
  if (text.size() > limits.source_bytes) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The formula must have at most {} bytes, got {}.",
                             limits.source_bytes, text.size()));
  }
  ASSIGN_OR_RETURN(const Syntax syntax, read_syntax(text, limits));
  const ModuleSyntax module{
      .functions = {}, .assignments = {}, .modules = {"np", "numpy", "math"}};
  Formula formula;
  formula.inputs = inputs;
  Meaning meaning(module, limits);
  const std::vector<std::string> printed = identifiers(inputs, {});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value input =
        Value::number(meaning.builder().input(static_cast<std::uint32_t>(i)));
    // Columns are known by their identifiers too, so that printed formulas
    // parse.
    meaning.scope().assign(printed[i], input);
    meaning.scope().assign(inputs[i], input);
  }
  meaning.unknown_name = [&](const Syntax& name) {
    return other_name(meaning, formula, name);
  };
  ASSIGN_OR_RETURN(const Value value, meaning.number(syntax));
  formula.body = meaning.builder().finish(value.node);
  return formula;
}

}  // namespace lamarck::formula
