#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/formula/internal/meaning.h"

namespace lamarck::formula {
namespace {

// Whether both are the same slice of the params.
bool same_params(const Value& a, const Value& b) {
  return a.kind == ValueKind::Params && b.kind == ValueKind::Params &&
         a.first == b.first && a.count == b.count;
}

bool is_range(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::Call &&
         syntax.children[0].kind == SyntaxKind::Name &&
         syntax.children[0].text == "range";
}

}  // namespace

void Meaning::assign_globals() {
  for (const Statement& statement : module_.assignments) {
    // A constant that a formula cannot have, such as a list, matters only if it
    // is used.
    const auto outcome = run_one(statement);
    if (outcome) continue;
    for (const Syntax& target : statement.targets) {
      const Value unset =
          Value::unset(fmt::format("'{}' has no usable value; {}", target.text,
                                   outcome.error().message()));
      if (target.kind == SyntaxKind::Name) scope_.assign(target.text, unset);
    }
  }
  globals_ = std::exchange(scope_, {});
}

Result<Meaning::Flow> Meaning::run(std::span<const Statement> statements) {
  std::vector<Flow> flows;
  for (const Statement& statement : statements) {
    ASSIGN_OR_RETURN(Flow flow, run_one(statement));
    if (flow.returns) flows.push_back(std::move(flow));
    // Statements after an unconditional return are unreachable.
    if (!flows.empty() && flows.back().is_always) break;
  }
  return in_sequence(flows);
}

// Combines returns of consecutive statements: rows that returned earlier keep
// their value.
Meaning::Flow Meaning::in_sequence(const std::vector<Flow>& flows) {
  if (flows.empty()) return {};
  Flow result = flows.back();
  for (std::size_t i = flows.size() - 1; i-- > 0;) {
    const Flow& earlier = flows[i];
    result.value =
        merged("return value", earlier.condition, earlier.value, result.value);
    if (!result.is_always) {
      result.condition =
          arithmetic_.logical_or(earlier.condition, result.condition);
    }
  }
  return result;
}

Result<Meaning::Flow> Meaning::run_one(const Statement& statement) {
  RETURN_IF_ERROR(count_work(statement.position));
  switch (statement.kind) {
    case StatementKind::Pass:
      return Flow{};
    case StatementKind::If:
      return deeper(statement.position, [&] { return run_if(statement); });
    case StatementKind::For:
      return deeper(statement.position, [&] { return run_for(statement); });
    case StatementKind::Return: {
      ASSIGN_OR_RETURN(Value value, evaluate(statement.value));
      return Flow{.returns = true,
                  .is_always = true,
                  .condition = {},
                  .value = std::move(value)};
    }
    case StatementKind::Augment: {
      ASSIGN_OR_RETURN(const Value before, number(statement.targets[0]));
      ASSIGN_OR_RETURN(const Value change, number(statement.value));
      scope_.assign(statement.targets[0].text,
                    arithmetic_.binary(statement.word, before, change));
      return Flow{};
    }
    case StatementKind::Assign:
      break;
  }
  ASSIGN_OR_RETURN(const Value value, evaluate(statement.value));
  for (const Syntax& target : statement.targets) {
    RETURN_IF_ERROR(assign(target, value));
  }
  return Flow{};
}

Result<void> Meaning::assign(const Syntax& target, const Value& value) {
  if (target.kind == SyntaxKind::Name) {
    scope_.assign(target.text, value);
    return {};
  }
  const std::size_t wanted = target.children.size();
  if (value.kind == ValueKind::Number) {
    return error_at(
        target.position,
        fmt::format(
            "cannot assign one number to {} names; provide one value per name.",
            wanted));
  }
  const bool is_params = value.kind == ValueKind::Params;
  const std::size_t given = is_params ? std::size_t{value.count.value_or(
                                            static_cast<std::uint32_t>(wanted))}
                                      : value.parts->size();
  if (given != wanted) {
    return error_at(
        target.position,
        fmt::format(
            "cannot assign {} values to {} names; provide one value per name.",
            given, wanted));
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    Value part;
    if (is_params) {
      ASSIGN_OR_RETURN(part, param(value.first + static_cast<std::uint32_t>(i),
                                   target.position));
    } else {
      part = (*value.parts)[i];
    }
    scope_.assign(target.children[i].text, std::move(part));
  }
  return {};
}

Result<Meaning::Flow> Meaning::run_if(const Statement& statement) {
  std::vector<Branch> branches;
  const std::vector<Statement>* last = &statement.blocks.back();
  for (std::size_t i = 0; i < statement.conditions.size(); ++i) {
    ASSIGN_OR_RETURN(const Value condition, number(statement.conditions[i]));
    if (!condition.is_integer) {
      ASSIGN_OR_RETURN(Branch branch,
                       run_branch(condition, statement.blocks[i]));
      branches.push_back(std::move(branch));
    } else if (condition.integer != 0) {
      // A condition known to be true acts as the else branch.
      last = &statement.blocks[i];
      break;
    }
  }
  ASSIGN_OR_RETURN(Branch result, run_branch({}, *last));
  while (!branches.empty()) {
    RETURN_IF_ERROR(
        count_work(statement.position,
                   branches.back().changes.size() + result.changes.size()));
    result = merged(std::move(branches.back()), std::move(result));
    branches.pop_back();
  }
  for (auto& [name, value] : result.changes) {
    scope_.assign(name, std::move(value));
  }
  return std::move(result.flow);
}

Result<Meaning::Branch> Meaning::run_branch(
    const Value& condition, const std::vector<Statement>& block) {
  // Both branches start from the same values: the changes are undone here and
  // merged by run_if.
  const std::size_t mark = scope_.mark();
  Branch branch{.condition = condition};
  auto flow = run(block);
  branch.changes = scope_.take_changes(mark);
  if (!flow) return flow.error();
  branch.flow = *std::move(flow);
  return branch;
}

Value Meaning::before(const std::string& name) const {
  const Value* value = scope_.find(name);
  if (value == nullptr) value = globals_.find(name);
  if (value != nullptr) return *value;
  return Value::unset(
      fmt::format("'{0}' has no value if a condition above is false; assign "
                  "'{0}' before the 'if', or also in its 'else'.",
                  name));
}

// Merges two branches into one: `then` where its condition holds, else
// `otherwise`.
Meaning::Branch Meaning::merged(Branch then, Branch otherwise) {
  const Value condition = then.condition;
  Branch result;
  // A branch that always returns does not affect the variables afterwards.
  if (then.flow.is_always) {
    result.changes = std::move(otherwise.changes);
  } else if (otherwise.flow.is_always) {
    result.changes = std::move(then.changes);
  } else {
    for (const auto* side : {&then.changes, &otherwise.changes}) {
      for (const auto& [name, value] : *side) result.changes.try_emplace(name);
    }
    for (auto& [name, value] : result.changes) {
      const auto of = [&, &key = name](const Scope::Changes& changes) {
        const auto place = changes.find(key);
        return place == changes.end() ? before(key) : place->second;
      };
      value = merged(name, condition, of(then.changes), of(otherwise.changes));
    }
  }
  Flow& flow = result.flow;
  flow.returns = then.flow.returns || otherwise.flow.returns;
  flow.is_always = then.flow.is_always && otherwise.flow.is_always;
  if (!flow.returns) return result;
  const auto returned_where = [&](const Flow& each) {
    if (each.is_always) return arithmetic_.whole(1);
    return each.returns ? each.condition : arithmetic_.whole(0);
  };
  if (!flow.is_always) {
    flow.condition = arithmetic_.where_truth(
        condition, returned_where(then.flow), returned_where(otherwise.flow));
  }
  if (!then.flow.returns) {
    flow.value = std::move(otherwise.flow.value);
  } else if (!otherwise.flow.returns) {
    flow.value = std::move(then.flow.value);
  } else {
    flow.value = merged("return value", condition, then.flow.value,
                        otherwise.flow.value);
  }
  return result;
}

Value Meaning::merged(const std::string& name, const Value& condition,
                      const Value& then, const Value& otherwise) {
  if (then.kind == ValueKind::Unset) return then;
  if (otherwise.kind == ValueKind::Unset) return otherwise;
  if (then.kind == ValueKind::Number && otherwise.kind == ValueKind::Number) {
    return arithmetic_.where(condition, then, otherwise);
  }
  if (same_params(then, otherwise)) return then;
  if (then.kind == ValueKind::Sequence &&
      otherwise.kind == ValueKind::Sequence &&
      then.parts->size() == otherwise.parts->size()) {
    std::vector<Value> parts;
    for (std::size_t i = 0; i < then.parts->size(); ++i) {
      parts.push_back(
          merged(name, condition, (*then.parts)[i], (*otherwise.parts)[i]));
    }
    return Value::sequence(std::move(parts));
  }
  return Value::unset(
      fmt::format("'{}' has different types in the branches of an 'if'; make "
                  "it a number in all of them.",
                  name));
}

Result<Meaning::Flow> Meaning::run_for(const Statement& statement) {
  ASSIGN_OR_RETURN(const std::vector<Value> values, loop_values(statement));
  std::vector<Flow> flows;
  for (const Value& value : values) {
    if (++loop_steps_ > limits_.loop_steps) {
      return error_at(
          statement.position,
          fmt::format("the loops take more than {} steps in total; use fewer.",
                      limits_.loop_steps));
    }
    RETURN_IF_ERROR(assign(statement.targets[0], value));
    ASSIGN_OR_RETURN(Flow flow, run(statement.blocks[0]));
    if (flow.returns) flows.push_back(std::move(flow));
    if (!flows.empty() && flows.back().is_always) break;
  }
  return in_sequence(flows);
}

Result<std::vector<Value>> Meaning::loop_values(const Statement& statement) {
  if (is_range(statement.value)) return range_values(statement.value);
  ASSIGN_OR_RETURN(const Value all, evaluate(statement.value));
  if (all.kind == ValueKind::Sequence) return *all.parts;
  if (all.kind != ValueKind::Params || !all.count) {
    return unsupported_at(statement.position, "a loop over this",
                          "write 'for i in range(3):' with a number");
  }
  std::vector<Value> values;
  for (std::uint32_t i = 0; i < *all.count; ++i) {
    ASSIGN_OR_RETURN(Value value, param(all.first + i, statement.position));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<Value>> Meaning::range_values(const Syntax& call) {
  std::vector<double> bounds;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    ASSIGN_OR_RETURN(const double bound,
                     whole_number(call.children[i], "a bound of 'range'"));
    bounds.push_back(bound);
  }
  if (bounds.empty() || bounds.size() > 3) {
    return error_at(call.position, "'range' takes one to three integers.");
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  if (bounds.size() == 2) bounds.push_back(1);
  if (bounds[2] == 0) {
    return error_at(call.position, "the step of 'range' must not be 0.");
  }
  std::vector<Value> values;
  const double max_values = static_cast<double>(limits_.loop_steps) + 1;
  for (double i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];
       i += bounds[2]) {
    // One more than allowed, so that run_for reports the error.
    if (static_cast<double>(values.size()) > max_values) break;
    values.push_back(arithmetic_.whole(i));
  }
  return values;
}

}  // namespace lamarck::formula
