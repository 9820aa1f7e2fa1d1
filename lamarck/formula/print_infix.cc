#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/operator_text.h"
#include "lamarck/formula/internal/printable_names.h"

namespace lamarck::formula {
namespace {

// Whether the text starts with a minus that applies to all of it.
bool is_negative(const Printed& a) {
  return a.rank >= Rank::Product && a.text[0] == '-';
}

// Prints a + -b as a - b.
Printed infix_sum(std::span<Printed> a, bool is_difference) {
  if (is_negative(a[1])) {
    a[1].text.erase(0, 1);
    is_difference = !is_difference;
  }
  return infix_text(is_difference ? " - " : " + ", Rank::Sum, std::move(a[0]),
                    std::move(a[1]));
}

Printed infix_product(std::string_view word, Printed a, Printed b) {
  if (is_negative(b)) b.rank = Rank::Choice;
  return infix_text(word, Rank::Product, std::move(a), std::move(b));
}

// Gets parentheses next to other operators, because few readers know its
// precedence.
Printed modulo(Printed a, Printed b) {
  a = bracketed(std::move(a), Rank::Power);
  b = bracketed(std::move(b), Rank::Power);
  return {.text = fmt::format("{} % {}", a.text, b.text),
          .rank = Rank::Comparison,
          .depth = std::max(a.depth, b.depth)};
}

Printed infix_negated(Printed a) {
  if (is_negative(a)) {
    a.text.erase(0, 1);
    a.rank = Rank::Product;
    return a;
  }
  a = bracketed(std::move(a), Rank::Product);
  a.text.insert(0, "-");
  a.rank = std::min(a.rank, Rank::Sign);
  return a;
}

Printed infix_power(Printed base, Printed exponent) {
  // Also around powers: few readers know that ** groups from the right.
  base = bracketed(std::move(base), Rank::Atom);
  exponent = bracketed(std::move(exponent), Rank::Atom);
  return {.text = fmt::format("{}**{}", base.text, exponent.text),
          .rank = Rank::Power,
          .depth = std::max(base.depth, exponent.depth) + 1};
}

Printed logical_not(Printed a) {
  a = bracketed(std::move(a), Rank::Comparison);
  return {.text = "not " + a.text, .rank = Rank::Not, .depth = a.depth + 1};
}

std::string infix_number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return rounded_number(value, digits);
}

class InfixDialect : public Dialect {
 public:
  InfixDialect(const Formula& formula, const std::vector<double>* params,
               int digits)
      : inputs_(identifiers(formula.inputs, {})),
        names_(inputs_),
        param_names_(formula.param_names),
        params_(params),
        digits_(digits) {
    names_.insert(names_.end(), param_names_.begin(), param_names_.end());
    param_prefix_ = free_prefix("c", names_);
    part_prefix_ = free_prefix("t", names_);
    is_pi_free_ = std::find(names_.begin(), names_.end(), "pi") == names_.end();
  }

  Printed leaf(const Node& node) override {
    if (node.op == Op::Constant) return number(node.value);
    if (node.op == Op::Input) return {.text = inputs_[node.index]};
    if (params_ != nullptr) return number((*params_)[node.index]);
    if (node.index < param_names_.size()) {
      return {.text = param_names_[node.index]};
    }
    return {.text = fmt::format("{}{}", param_prefix_, node.index)};
  }

  Printed operation(const Node& node, std::span<Printed> a) override {
    switch (node.op) {
      case Op::Add:
        return infix_sum(a, false);
      case Op::Sub:
        return infix_sum(a, true);
      case Op::Mul:
        return infix_product("*", std::move(a[0]), std::move(a[1]));
      case Op::Div:
        return infix_product("/", std::move(a[0]), std::move(a[1]));
      case Op::Mod:
        return modulo(std::move(a[0]), std::move(a[1]));
      case Op::Reciprocal:
        return infix_product("/", {.text = "1"}, std::move(a[0]));
      case Op::Pow:
        return infix_power(std::move(a[0]), std::move(a[1]));
      case Op::Square:
        return infix_power(std::move(a[0]), {.text = "2"});
      case Op::Cube:
        return infix_power(std::move(a[0]), {.text = "3"});
      case Op::Neg:
        return infix_negated(std::move(a[0]));
      case Op::Not:
        return logical_not(std::move(a[0]));
      case Op::And:
        return infix_text(" and ", Rank::And, std::move(a[0]), std::move(a[1]));
      case Op::Or:
        return infix_text(" or ", Rank::Or, std::move(a[0]), std::move(a[1]));
      case Op::Minimum:
        return call_text("min", a);
      case Op::Maximum:
        return call_text("max", a);
      default:
        break;
    }
    const std::string_view comparison = comparison_word(node.op);
    if (comparison.empty()) {
      return call_text(formula::operation(node.op).name, a);
    }
    return comparison_text(comparison, std::move(a[0]), std::move(a[1]));
  }

  std::string part_name(std::size_t part) override {
    return fmt::format("{}{}", part_prefix_, part);
  }

 private:
  Printed number(double value) const {
    const bool is_pi = value == std::numbers::pi && is_pi_free_;
    std::string text = is_pi ? "pi" : infix_number_text(value, digits_);
    const Rank rank = text[0] == '-' ? Rank::Sign : Rank::Atom;
    return {.text = std::move(text), .rank = rank, .is_number = true};
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> names_;  // Names of inputs and params.
  std::vector<std::string> param_names_;
  const std::vector<double>* params_;
  int digits_;
  std::string param_prefix_;
  std::string part_prefix_;
  bool is_pi_free_ = true;
};

}  // namespace

std::string to_infix(const Formula& formula, const std::vector<double>* params,
                     int digits) {
  REQUIRE(params == nullptr || params->size() >= formula.body.param_count(),
          "to_infix: there must be a number for each of the {} params, got {}.",
          formula.body.param_count(), params->size());
  REQUIRE(formula.inputs.size() >= formula.body.input_count(),
          "to_infix: there must be a name for each of the {} inputs, got {}.",
          formula.body.input_count(), formula.inputs.size());
  InfixDialect dialect(formula, params, digits);
  const PrintedParts printed =
      print_expression(formula.body, dialect, Sharing::OnlyIfHuge);
  std::string result;
  for (const auto& [name, text] : printed.parts) {
    result += fmt::format("{} = {}\n", name, text);
  }
  return result + printed.result;
}

}  // namespace lamarck::formula
