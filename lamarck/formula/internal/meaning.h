// Translates parsed syntax to nodes by symbolic execution: evaluates
// expressions in a scope, and runs statements and calls.
//
// Branches on values of the data become Where; loops are unrolled and calls
// inlined.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/syntax.h"
#include "lamarck/formula/internal/value.h"
#include "lamarck/formula/internal/value_arithmetic.h"

namespace lamarck::formula {

// The module and the limits must outlive it. Thread safety: owned by one
// thread.
class Meaning {
 public:
  Meaning(const ModuleSyntax& module, const ParseLimits& limits);

  // Runs the assignments outside functions. An invalid one is an error only
  // when its name is used.
  void assign_globals();

  // Calls a function with these arguments and returns its value. Fails for
  // recursion and for a path without a return.
  Result<Value> call(const FunctionSyntax& function,
                     std::vector<Value> arguments, Position where);
  Result<Value> evaluate(const Syntax& syntax);
  // Like `evaluate`, but fails if the value is not a number.
  Result<Value> number(const Syntax& syntax);

  Scope& scope() { return scope_; }
  ExpressionBuilder& builder() { return builder_; }
  // The node of a param; fails if the index exceeds the limit.
  Result<Value> param(std::uint32_t index, Position where);

  // Called for a name that is not assigned. Fails by default; infix formulas
  // turn such names into params.
  std::function<Result<Value>(const Syntax&)> unknown_name;

 private:
  // The control flow after some statements: which rows have returned, and what.
  struct Flow {
    bool returns = false;    // Some rows have: those where `condition` holds.
    bool is_always = false;  // All rows have returned.
    Value condition;
    Value value;
  };
  struct Branch {
    Value condition;
    Flow flow;
    Scope::Changes changes;
  };

  Result<void> count_work(Position where, std::size_t amount = 1);
  template <class Evaluate>
  auto deeper(Position where, Evaluate evaluate) -> decltype(evaluate());

  // Expressions.
  Result<Value> evaluate_here(const Syntax& syntax);
  Result<Value> name(const Syntax& syntax);
  Result<Value> attribute(const Syntax& syntax);
  Result<Value> sequence(const Syntax& syntax);
  Result<Value> sign(const Syntax& syntax);
  Result<Value> arithmetic(const Syntax& syntax);
  Result<Value> comparison(const Syntax& syntax);
  Result<Value> logical(const Syntax& syntax);
  Result<Value> conditional(const Syntax& syntax);
  Result<Value> subscript(const Syntax& syntax);
  Result<Value> element(const Value& whole, const Syntax& syntax);
  Result<Value> slice(const Value& whole, const Syntax& syntax);
  Result<double> whole_number(const Syntax& syntax, std::string_view purpose);
  bool is_module(const Syntax& syntax) const;

  // Calls.
  Result<Value> call_expression(const Syntax& syntax);
  Result<Value> call_known(const Syntax& syntax, const std::string& name);
  Result<Value> call_op(const Syntax& syntax, Op op,
                        const std::vector<Value>& arguments);
  Result<Value> select(const Syntax& syntax);
  Error unknown_function(const Syntax& syntax, const std::string& name) const;
  const FunctionSyntax* function_named(std::string_view name) const;

  // Statements.
  Result<Flow> run(std::span<const Statement> statements);
  Result<Flow> run_one(const Statement& statement);
  Result<void> assign(const Syntax& target, const Value& value);
  Result<Flow> run_if(const Statement& statement);
  Result<Branch> run_branch(const Value& condition,
                            const std::vector<Statement>& block);
  Result<Flow> run_for(const Statement& statement);
  Result<std::vector<Value>> loop_values(const Statement& statement);
  Result<std::vector<Value>> range_values(const Syntax& call);
  Flow in_sequence(const std::vector<Flow>& flows);
  Branch merged(Branch then, Branch otherwise);
  Value merged(const std::string& name, const Value& condition,
               const Value& then, const Value& otherwise);
  // The value before an `if`; Unset, with a reason, if there was none.
  Value before(const std::string& name) const;

  const ModuleSyntax& module_;
  const ParseLimits& limits_;
  ExpressionBuilder builder_;
  ValueArithmetic arithmetic_{builder_};
  Scope scope_;
  Scope globals_;
  std::vector<const FunctionSyntax*> active_;  // Active calls, outermost first.
  std::size_t depth_ = 0;
  std::size_t work_ = 0;  // Statements and expressions evaluated so far.
  std::size_t loop_steps_ = 0;
};

template <class Evaluate>
auto Meaning::deeper(Position where, Evaluate evaluate)
    -> decltype(evaluate()) {
  constexpr std::size_t kMaxDepth = 800;
  if (depth_ >= kMaxDepth) {
    return error_at(where,
                    "too many calls and brackets are nested here; assign parts "
                    "of the expression to names first.");
  }
  ++depth_;
  auto result = evaluate();
  --depth_;
  return result;
}

}  // namespace lamarck::formula
