#include <cmath>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/formula/internal/known_function.h"
#include "lamarck/formula/internal/meaning.h"

namespace lamarck::formula {
namespace {

std::string did_you_mean(std::string_view word,
                         const std::vector<std::string>& known) {
  const auto nearest = nearest_word(word, known);
  return nearest ? fmt::format(" Did you mean '{}'?", *nearest) : "";
}

// Whether it is a number without parentheses around it.
bool is_literal(const Syntax& syntax) {
  return !syntax.is_in_parentheses && syntax.kind == SyntaxKind::Number;
}

}  // namespace

Meaning::Meaning(const ModuleSyntax& module, const ParseLimits& limits)
    : module_(module), limits_(limits) {
  unknown_name = [this](const Syntax& syntax) -> Result<Value> {
    std::vector<std::string> known;
    for (const auto& [each, value] : scope_.values()) known.push_back(each);
    for (const auto& [each, value] : globals_.values()) known.push_back(each);
    return error_at(syntax.position,
                    fmt::format("the name {} is not defined; assign it first, "
                                "or make it an argument.{}",
                                in_quotes(syntax.text, 40),
                                did_you_mean(syntax.text, known)));
  };
}

Result<void> Meaning::count_work(Position where, std::size_t amount) {
  // Bounds the time as well as the memory: shared nodes are cheap to store, but
  // not to evaluate again and again.
  work_ += amount;
  if (work_ <= 50 * limits_.nodes && builder_.node_count() <= limits_.nodes) {
    return {};
  }
  return error_at(where,
                  fmt::format("with all loops and calls expanded, the formula "
                              "has more than {} parts; make it shorter.",
                              limits_.nodes));
}

Result<Value> Meaning::evaluate(const Syntax& syntax) {
  RETURN_IF_ERROR(count_work(syntax.position));
  return deeper(syntax.position, [&] { return evaluate_here(syntax); });
}

Result<Value> Meaning::number(const Syntax& syntax) {
  ASSIGN_OR_RETURN(Value value, evaluate(syntax));
  if (value.kind == ValueKind::Number) return value;
  if (value.kind == ValueKind::Params) {
    return error_at(syntax.position,
                    "the vector of constants cannot be used as a whole; write "
                    "params[0], params[1] and so on.");
  }
  return error_at(syntax.position,
                  "expected a single number, got several; give each a name, as "
                  "in 'a, b = ...'.");
}

Result<Value> Meaning::evaluate_here(const Syntax& syntax) {
  switch (syntax.kind) {
    case SyntaxKind::Number:
      return syntax.is_integer ? arithmetic_.whole(syntax.value)
                               : arithmetic_.real(syntax.value);
    case SyntaxKind::Name:
      return name(syntax);
    case SyntaxKind::Attribute:
      return attribute(syntax);
    case SyntaxKind::Call:
      return call_expression(syntax);
    case SyntaxKind::Subscript:
      return subscript(syntax);
    case SyntaxKind::Sequence:
      return sequence(syntax);
    case SyntaxKind::Sign:
      return sign(syntax);
    case SyntaxKind::Power:
    case SyntaxKind::Arithmetic:
      return arithmetic(syntax);
    case SyntaxKind::Comparison:
      return comparison(syntax);
    case SyntaxKind::And:
    case SyntaxKind::Or:
    case SyntaxKind::Not:
      return logical(syntax);
    case SyntaxKind::Conditional:
      return conditional(syntax);
    case SyntaxKind::String:
      return unsupported_at(syntax.position, "a string as a value",
                            "use only numbers");
    case SyntaxKind::Slice:
    case SyntaxKind::Empty:
      break;
  }
  return error_at(syntax.position, "expected a number.");
}

Result<Value> Meaning::name(const Syntax& syntax) {
  // Local names shadow global ones.
  const Value* value = scope_.find(syntax.text);
  if (value == nullptr) value = globals_.find(syntax.text);
  if (value != nullptr) {
    if (value->kind != ValueKind::Unset) return *value;
    return error_at(syntax.position, value->reason);
  }
  if (syntax.text == "None") {
    return unsupported_at(syntax.position, "None", "use only numbers");
  }
  if (function_named(syntax.text) != nullptr) {
    return error_at(
        syntax.position,
        fmt::format("the function '{0}' must be called; write {0}(...).",
                    syntax.text));
  }
  return unknown_name(syntax);
}

bool Meaning::is_module(const Syntax& syntax) const {
  // A local variable may be called np.
  if (syntax.kind != SyntaxKind::Name || scope_.find(syntax.text) != nullptr) {
    return false;
  }
  for (const std::string& module : module_.modules) {
    if (module == syntax.text) return true;
  }
  return false;
}

Result<Value> Meaning::attribute(const Syntax& syntax) {
  if (!is_module(syntax.children[0])) {
    return unsupported_at(
        syntax.position,
        fmt::format("the attribute {}", in_quotes("." + syntax.text, 40)),
        "use functions of numpy, such as np.exp(x)");
  }
  // Constants such as np.pi.
  if (const auto value = known_number(syntax.text)) {
    return arithmetic_.real(*value);
  }
  const bool can_call = op_called(syntax.text).has_value() ||
                        composed_function(syntax.text) != nullptr;
  if (!can_call) return unknown_function(syntax, syntax.text);
  return error_at(syntax.position,
                  fmt::format("{0}.{1} is a function; write {0}.{1}(...).",
                              syntax.children[0].text, syntax.text));
}

Result<Value> Meaning::sequence(const Syntax& syntax) {
  std::vector<Value> parts;
  for (const Syntax& child : syntax.children) {
    ASSIGN_OR_RETURN(Value part, number(child));
    parts.push_back(std::move(part));
  }
  return Value::sequence(std::move(parts));
}

// A minus directly before a number, np.inf or np.pi is part of the constant;
// with parentheses in between it is an operation.
Result<Value> Meaning::sign(const Syntax& syntax) {
  const Syntax& child = syntax.children[0];
  ASSIGN_OR_RETURN(Value value, number(child));
  if (syntax.words[0] == "+") return value;
  if (syntax.words[0] == "~") return arithmetic_.logical_not(value);
  const bool is_constant =
      is_literal(child) ||
      (child.kind == SyntaxKind::Attribute && !child.is_in_parentheses);
  if (is_constant && !value.is_integer) {
    return arithmetic_.real(-builder_.node(value.node).value);
  }
  return arithmetic_.negated(value);
}

Result<Value> Meaning::arithmetic(const Syntax& syntax) {
  ASSIGN_OR_RETURN(Value result, number(syntax.children[0]));
  for (std::size_t i = 1; i < syntax.children.size(); ++i) {
    ASSIGN_OR_RETURN(const Value next, number(syntax.children[i]));
    const bool is_power = syntax.kind == SyntaxKind::Power;
    result = arithmetic_.binary(
        is_power ? std::string_view("**") : syntax.words[i - 1], result, next);
  }
  return result;
}

Result<Value> Meaning::comparison(const Syntax& syntax) {
  ASSIGN_OR_RETURN(Value left, number(syntax.children[0]));
  Value result;
  for (std::size_t i = 1; i < syntax.children.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, number(syntax.children[i]));
    // a < b < c means a < b and b < c.
    const Value link = arithmetic_.binary(syntax.words[i - 1], left, right);
    result = i == 1 ? link : arithmetic_.logical_and(result, link);
    left = std::move(right);
  }
  return result;
}

Result<Value> Meaning::logical(const Syntax& syntax) {
  ASSIGN_OR_RETURN(Value result, number(syntax.children[0]));
  if (syntax.kind == SyntaxKind::Not) return arithmetic_.logical_not(result);
  for (std::size_t i = 1; i < syntax.children.size(); ++i) {
    ASSIGN_OR_RETURN(const Value next, number(syntax.children[i]));
    result = syntax.kind == SyntaxKind::And
                 ? arithmetic_.logical_and(result, next)
                 : arithmetic_.logical_or(result, next);
  }
  return result;
}

Result<Value> Meaning::conditional(const Syntax& syntax) {
  ASSIGN_OR_RETURN(const Value condition, number(syntax.children[0]));
  // A condition known while parsing selects one branch; the other is not even
  // checked.
  if (condition.is_integer) {
    return evaluate(syntax.children[condition.integer != 0 ? 1 : 2]);
  }
  ASSIGN_OR_RETURN(const Value then, number(syntax.children[1]));
  ASSIGN_OR_RETURN(const Value otherwise, number(syntax.children[2]));
  return arithmetic_.where(condition, then, otherwise);
}

Result<double> Meaning::whole_number(const Syntax& syntax,
                                     std::string_view purpose) {
  ASSIGN_OR_RETURN(const Value value, number(syntax));
  if (value.is_integer) return value.integer;
  return error_at(
      syntax.position,
      fmt::format("{} must be a constant integer, such as 2.", purpose));
}

Result<Value> Meaning::param(std::uint32_t index, Position where) {
  if (index < limits_.params) return Value::number(builder_.param(index));
  return error_at(where, fmt::format("params[{}] is out of range; a formula "
                                     "may have at most {} constants.",
                                     index, limits_.params));
}

Result<Value> Meaning::subscript(const Syntax& syntax) {
  ASSIGN_OR_RETURN(const Value whole, evaluate(syntax.children[0]));
  if (whole.kind == ValueKind::Number) {
    return unsupported_at(syntax.position,
                          "a subscript of anything but the constants",
                          "each name already holds the value of one row; give "
                          "every column its own argument");
  }
  if (syntax.children[1].kind == SyntaxKind::Slice) {
    return slice(whole, syntax.children[1]);
  }
  return element(whole, syntax.children[1]);
}

Result<Value> Meaning::element(const Value& whole, const Syntax& syntax) {
  if (syntax.kind == SyntaxKind::Sequence) {
    return unsupported_at(syntax.position, "a two-dimensional subscript",
                          "write params[0], params[1] and so on");
  }
  ASSIGN_OR_RETURN(const double index, whole_number(syntax, "an index"));
  const bool is_params = whole.kind == ValueKind::Params;
  const double count = is_params ? whole.count.value_or(limits_.params + 1)
                                 : static_cast<double>(whole.parts->size());
  if (index < 0 || index >= count) {
    return error_at(
        syntax.position,
        fmt::format("the index {} is out of range; indices start at 0.",
                    index));
  }
  if (!is_params) return (*whole.parts)[static_cast<std::size_t>(index)];
  return param(whole.first + static_cast<std::uint32_t>(index),
               syntax.position);
}

Result<Value> Meaning::slice(const Value& whole, const Syntax& syntax) {
  if (whole.kind != ValueKind::Params || syntax.children.size() != 2) {
    return unsupported_at(syntax.position, "this slice",
                          "write slices like params[0:3]");
  }
  double low = 0;
  double high = whole.count.value_or(limits_.params);
  if (syntax.children[0].kind != SyntaxKind::Empty) {
    ASSIGN_OR_RETURN(low, whole_number(syntax.children[0], "a bound"));
  }
  // params[2:] has no known end, because the number of params is not known yet.
  const bool is_open = syntax.children[1].kind == SyntaxKind::Empty;
  if (!is_open) {
    ASSIGN_OR_RETURN(high, whole_number(syntax.children[1], "a bound"));
  }
  const double limit = whole.count.value_or(limits_.params);
  if (low < 0 || high < low || high > limit) {
    return error_at(
        syntax.position,
        fmt::format(
            "the slice from {} to {} is out of range; indices start at 0.", low,
            high));
  }
  Value result = whole;
  result.first += static_cast<std::uint32_t>(low);
  if (!is_open || whole.count) {
    result.count = static_cast<std::uint32_t>(high - low);
  }
  return result;
}

Error Meaning::unknown_function(const Syntax& syntax,
                                const std::string& name) const {
  if (const auto advice = advice_instead_of(name); !advice.empty()) {
    return unsupported_at(syntax.position,
                          fmt::format("the function '{}'", name), advice);
  }
  std::vector<std::string> known = callable_names();
  for (const FunctionSyntax& function : module_.functions) {
    known.push_back(function.name);
  }
  return error_at(
      syntax.position,
      fmt::format(
          "unknown function {}; use an elementwise function of numpy.{}",
          in_quotes(name, 40), did_you_mean(name, known)));
}

}  // namespace lamarck::formula
