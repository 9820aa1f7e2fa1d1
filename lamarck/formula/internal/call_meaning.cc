#include <algorithm>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/formula/internal/known_function.h"
#include "lamarck/formula/internal/meaning.h"

namespace lamarck::formula {
namespace {

Error wrong_count(const Syntax& syntax, std::string_view name,
                  std::size_t wanted, std::size_t given) {
  return error_at(syntax.position,
                  fmt::format("'{}' takes {} argument{}, got {}.", name, wanted,
                              wanted == 1 ? "" : "s", given));
}

// Operations that map integers to integers.
bool keeps_integers(Op op) {
  return op == Op::Abs || op == Op::Minimum || op == Op::Maximum ||
         op == Op::Round || op == Op::Floor || op == Op::Ceil || op == Op::Sign;
}

}  // namespace

const FunctionSyntax* Meaning::function_named(std::string_view name) const {
  // As in Python, a later definition replaces an earlier one.
  for (auto it = module_.functions.rbegin(); it != module_.functions.rend();
       ++it) {
    if (it->name == name) return &*it;
  }
  return nullptr;
}

Result<Value> Meaning::call_expression(const Syntax& syntax) {
  const Syntax& function = syntax.children[0];
  if (function.kind == SyntaxKind::Attribute &&
      is_module(function.children[0])) {
    return call_known(syntax, function.text);
  }
  if (function.kind != SyntaxKind::Name) {
    return unsupported_at(syntax.position, "this call",
                          "call functions by name, such as np.exp(x)");
  }
  if (scope_.find(function.text) != nullptr &&
      function_named(function.text) == nullptr && !op_called(function.text)) {
    return error_at(syntax.position,
                    fmt::format("'{0}' is a number and cannot be called; for a "
                                "product write {0} * (...).",
                                function.text));
  }
  const FunctionSyntax* own = function_named(function.text);
  if (own == nullptr) return call_known(syntax, function.text);
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < syntax.children.size(); ++i) {
    ASSIGN_OR_RETURN(Value argument, evaluate(syntax.children[i]));
    arguments.push_back(std::move(argument));
  }
  return call(*own, std::move(arguments), syntax.position);
}

Result<Value> Meaning::call(const FunctionSyntax& function,
                            std::vector<Value> arguments, Position where) {
  if (arguments.size() != function.arguments.size()) {
    return error_at(
        where, fmt::format("'{}' takes {} arguments, got {}.", function.name,
                           function.arguments.size(), arguments.size()));
  }
  if (std::find(active_.begin(), active_.end(), &function) != active_.end()) {
    return unsupported_at(
        where, fmt::format("recursion, here of '{}',", function.name),
        "use a fixed number of steps, as in 'for i in range(10):'");
  }
  // Each nested call uses a lot of stack.
  constexpr std::size_t kMaxCalls = 100;
  if (active_.size() >= kMaxCalls) {
    return error_at(where,
                    "too many calls and brackets are nested here; assign parts "
                    "of the expression to names first.");
  }
  // The function sees its arguments and the globals, not the caller's names.
  Scope own;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    own.assign(function.arguments[i], std::move(arguments[i]));
  }
  std::swap(scope_, own);
  active_.push_back(&function);
  auto flow = run(function.body);
  active_.pop_back();
  std::swap(scope_, own);
  if (!flow) return flow.error();
  if (flow->is_always) return flow->value;
  return error_at(function.position,
                  fmt::format("not every path through '{}' ends with 'return'; "
                              "add 'return value' as the last line.",
                              function.name));
}

Result<Value> Meaning::call_known(const Syntax& syntax,
                                  const std::string& name) {
  const auto op = op_called(name);
  const KnownFunction* composed = composed_function(name);
  if (name == "select") return select(syntax);
  if (!op && composed == nullptr) return unknown_function(syntax, name);
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < syntax.children.size(); ++i) {
    ASSIGN_OR_RETURN(Value argument, number(syntax.children[i]));
    arguments.push_back(std::move(argument));
  }
  if (op) return call_op(syntax, *op, arguments);
  if (arguments.size() != composed->arity) {
    return wrong_count(syntax, name, composed->arity, arguments.size());
  }
  const bool is_integer_already = name == "int" && arguments[0].is_integer;
  if (is_integer_already) return arguments[0];
  std::vector<NodeIndex> nodes;
  for (const Value& argument : arguments) nodes.push_back(argument.node);
  return Value::number(composed->build(builder_, nodes));
}

Result<Value> Meaning::call_op(const Syntax& syntax, Op op,
                               const std::vector<Value>& arguments) {
  const auto arity = static_cast<std::size_t>(operation(op).arity);
  const bool is_open = op == Op::Minimum || op == Op::Maximum;
  if (arguments.size() != arity && !(is_open && arguments.size() > arity)) {
    return wrong_count(syntax, operation(op).name, arity, arguments.size());
  }
  Value result = arguments[0];
  if (arity == 3) {
    return Value::number(
        builder_.apply(op, result.node, arguments[1].node, arguments[2].node));
  }
  for (std::size_t i = arity - 1; i < arguments.size(); ++i) {
    const Value& next = arguments[i];
    if (keeps_integers(op) && result.is_integer && next.is_integer) {
      result =
          arithmetic_.whole(apply(op, result.integer, arguments[i].integer));
    } else {
      result = Value::number(arity == 1
                                 ? builder_.apply(op, result.node)
                                 : builder_.apply(op, result.node, next.node));
    }
  }
  return result;
}

// np.select([c, d], [a, b], otherwise): the first choice whose condition holds.
// Built from the last condition to the first, as nested Where.
Result<Value> Meaning::select(const Syntax& syntax) {
  const std::size_t given = syntax.children.size() - 1;
  if (given != 2 && given != 3) return wrong_count(syntax, "select", 3, given);
  ASSIGN_OR_RETURN(const Value conditions, evaluate(syntax.children[1]));
  ASSIGN_OR_RETURN(const Value choices, evaluate(syntax.children[2]));
  if (conditions.kind != ValueKind::Sequence ||
      choices.kind != ValueKind::Sequence ||
      conditions.parts->size() != choices.parts->size()) {
    return error_at(syntax.position,
                    "'select' takes two lists of equal length and a value: "
                    "np.select([x < 0, x < 1], [a, b], c).");
  }
  Value result = arithmetic_.real(0);
  if (given == 3) {
    ASSIGN_OR_RETURN(result, number(syntax.children[3]));
  }
  for (std::size_t i = choices.parts->size(); i-- > 0;) {
    const Value& condition = (*conditions.parts)[i];
    if (!condition.is_integer) {
      result = arithmetic_.where(condition, (*choices.parts)[i], result);
    } else if (condition.integer != 0) {
      result = (*choices.parts)[i];
    }
  }
  return result;
}

}  // namespace lamarck::formula
