#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/operator_text.h"
#include "lamarck/formula/internal/printable_names.h"

namespace lamarck::formula {
namespace {

// Functions that <cmath> lacks; they become lambdas at the start of the
// function.
struct LocalFunction {
  Op op;
  std::string_view name;
  std::string_view text;
};

constexpr std::array<LocalFunction, 6> kLocalFunctions = {{
    {Op::Square, "square", "(double a) { return a * a; }"},
    {Op::Cube, "cube", "(double a) { return a * a * a; }"},
    {Op::Sign, "sign",
     "(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a + 0.0; }"},
    {Op::Minimum, "minimum",
     "(double a, double b) { return a < b || std::isnan(a) ? a : b; }"},
    {Op::Maximum, "maximum",
     "(double a, double b) { return a > b || std::isnan(a) ? a : b; }"},
    {Op::Mod, "mod",
     "(double a, double b) {\n"
     "    const double rest = std::fmod(a, b);\n"
     "    if (rest == 0) return std::copysign(0.0, b);\n"
     "    return (rest < 0) != (b < 0) ? rest + b : rest;\n"
     "  }"},
}};

const LocalFunction* local_function(Op op) {
  for (const LocalFunction& each : kLocalFunctions) {
    if (each.op == op) return &each;
  }
  return nullptr;
}

// The name in <cmath> where it differs from ours.
std::string_view standard_name(Op op) {
  switch (op) {
    case Op::Arcsin:
      return "asin";
    case Op::Arccos:
      return "acos";
    case Op::Arctan:
      return "atan";
    case Op::Arctan2:
      return "atan2";
    case Op::Round:
      return "nearbyint";
    default:
      return operation(op).name;
  }
}

Printed cpp_number(double value) {
  if (std::isnan(value)) return {.text = "NAN"};
  const std::string text =
      std::isinf(value) ? "HUGE_VAL" : exact_number(std::abs(value));
  if (!std::signbit(value)) return {.text = text};
  return {.text = "-" + text, .rank = Rank::Sign};
}

// "(condition ? then : otherwise)".
Printed choice(std::string_view condition, std::string_view then,
               std::string_view otherwise, std::size_t depth) {
  return {.text = fmt::format("({} ? {} : {})", condition, then, otherwise),
          .depth = depth + 2};
}

NameRules cpp_name_rules() {
  NameRules rules{.reserved = {"params", "NAN", "HUGE_VAL"},
                  .keeps_foreign = false,
                  .is_cpp = true};
  for (const LocalFunction& each : kLocalFunctions) {
    rules.reserved.emplace_back(each.name);
  }
  return rules;
}

class CppDialect : public Dialect {
 public:
  CppDialect(const Formula& formula, const std::vector<double>* params)
      : inputs_(identifiers(formula.inputs, cpp_name_rules())),
        params_(params),
        part_prefix_(free_prefix("t", inputs_)) {}

  Printed leaf(const Node& node) override {
    if (node.op == Op::Constant) return cpp_number(node.value);
    if (node.op == Op::Input) {
      used_inputs_.insert(node.index);
      return {.text = inputs_[node.index]};
    }
    if (params_ != nullptr) return cpp_number((*params_)[node.index]);
    return {.text = fmt::format("params[{}]", node.index)};
  }

  Printed operation(const Node& node, std::span<Printed> a) override {
    switch (node.op) {
      case Op::Add:
        return infix(" + ", Rank::Sum, a);
      case Op::Sub:
        return infix(" - ", Rank::Sum, a);
      case Op::Mul:
        return infix(" * ", Rank::Product, a);
      case Op::Div:
        return infix(" / ", Rank::Product, a);
      case Op::Reciprocal:
        return infix_text(" / ", Rank::Product, {.text = "1.0"},
                          std::move(a[0]));
      case Op::Neg:
        // "--x" would be a decrement.
        if (a[0].rank == Rank::Sign) a[0].rank = Rank::Choice;
        return negated_text(std::move(a[0]));
      case Op::And:
      case Op::Or:
      case Op::Not:
      case Op::Where:
        return logical(node.op, a);
      default:
        break;
    }
    if (const std::string_view word = comparison_word(node.op); !word.empty()) {
      const Printed text =
          comparison_text(word, std::move(a[0]), std::move(a[1]));
      return choice(text.text, "1.0", "0.0", text.depth);
    }
    if (const LocalFunction* local = local_function(node.op)) {
      used_functions_.insert(node.op);
      return call_text(local->name, a);
    }
    return call_text(fmt::format("std::{}", standard_name(node.op)), a);
  }

  std::string part_name(std::size_t part) override {
    return fmt::format("{}{}", part_prefix_, part);
  }

  std::string arguments(bool has_params) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      // Unused arguments are commented out, to compile without warnings.
      const bool is_used = used_inputs_.contains(i);
      all.push_back(is_used ? fmt::format("double {}", inputs_[i])
                            : fmt::format("double /*{}*/", inputs_[i]));
    }
    all.emplace_back(has_params ? "const double* params"
                                : "const double* /*params*/ = nullptr");
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string local_functions() const {
    std::string result;
    for (const LocalFunction& each : kLocalFunctions) {
      if (!used_functions_.contains(each.op)) continue;
      result += fmt::format("  const auto {} = []{};\n", each.name, each.text);
    }
    return result;
  }

 private:
  static Printed infix(std::string_view word, Rank rank, std::span<Printed> a) {
    return infix_text(word, rank, std::move(a[0]), std::move(a[1]));
  }

  static Printed logical(Op op, std::span<Printed> a) {
    std::size_t depth = 0;
    for (Printed& each : a) {
      each = bracketed(std::move(each), Rank::Sum);
      depth = std::max(depth, each.depth);
    }
    const std::string first = a[0].text + " != 0";
    if (op == Op::Not) return choice(a[0].text + " == 0", "1.0", "0.0", depth);
    if (op == Op::Where) return choice(first, a[1].text, a[2].text, depth);
    const std::string_view word = op == Op::And ? " && " : " || ";
    return choice(fmt::format("{}{}{} != 0", first, word, a[1].text), "1.0",
                  "0.0", depth);
  }

  std::vector<std::string> inputs_;
  const std::vector<double>* params_;
  std::string part_prefix_;
  std::set<std::size_t> used_inputs_;
  std::set<Op> used_functions_;
};

}  // namespace

std::string to_cpp(const Formula& formula, const std::vector<double>* params) {
  REQUIRE(params == nullptr || params->size() >= formula.body.param_count(),
          "to_cpp: there must be a number for each of the {} params, got {}.",
          formula.body.param_count(), params->size());
  REQUIRE(formula.inputs.size() >= formula.body.input_count(),
          "to_cpp: there must be a name for each of the {} inputs, got {}.",
          formula.body.input_count(), formula.inputs.size());
  CppDialect dialect(formula, params);
  const PrintedParts printed =
      print_expression(formula.body, dialect, Sharing::WhereShorter);
  const bool has_params = params == nullptr && formula.body.param_count() > 0;
  std::string result =
      fmt::format("#include <cmath>\n\ninline double {}({}) {{\n",
                  identifier(formula.name, cpp_name_rules()),
                  dialect.arguments(has_params));
  result += dialect.local_functions();
  for (const auto& [name, text] : printed.parts) {
    result += fmt::format("  const double {} = {};\n", name, text);
  }
  return result + fmt::format("  return {};\n}}\n", printed.result);
}

}  // namespace lamarck::formula
