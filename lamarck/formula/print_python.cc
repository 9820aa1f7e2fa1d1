#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/docstring.h"
#include "lamarck/formula/internal/operator_text.h"
#include "lamarck/formula/internal/printable_names.h"

namespace lamarck::formula {
namespace {

// Names that the printed function uses itself.
NameRules python_name_rules() {
  return {.reserved = {"np", "numpy", "math", "params"}};
}

std::string positive_number(double value) {
  if (std::isnan(value)) return "np.nan";
  if (std::isinf(value)) return "np.inf";
  return value == std::numbers::pi ? "np.pi" : exact_number(value);
}

Printed python_number(double value) {
  const bool is_negative = std::signbit(value) && !std::isnan(value);
  if (!is_negative) return {.text = positive_number(value), .is_number = true};
  return {.text = "-" + positive_number(-value),
          .rank = Rank::Sign,
          .is_number = true};
}

class PythonDialect : public Dialect {
 public:
  PythonDialect(const Formula& formula, const std::vector<double>* params)
      : inputs_(identifiers(formula.inputs, python_name_rules())),
        params_(params),
        part_prefix_(free_prefix("t", inputs_)) {}

  Printed leaf(const Node& node) override {
    if (node.op == Op::Constant) return python_number(node.value);
    if (node.op == Op::Input) return {.text = inputs_[node.index]};
    if (params_ != nullptr) return python_number((*params_)[node.index]);
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
      case Op::Mod:
        return infix(" % ", Rank::Product, a);
      case Op::Pow:
        // ** groups from the right, so the exponent may be a power or a sign.
        return power(a[0], bracketed(std::move(a[1]), Rank::Sign));
      case Op::Square:
        return power(a[0], {.text = "2"});
      case Op::Cube:
        return power(a[0], {.text = "3"});
      case Op::Neg:
        return negated_text(std::move(a[0]));
      default:
        break;
    }
    // Operations without a numpy name are comparisons; the others are above.
    const std::string_view numpy = formula::operation(node.op).numpy;
    if (!numpy.empty()) return call_text(numpy, a);
    return comparison_text(comparison_word(node.op), std::move(a[0]),
                           std::move(a[1]));
  }

  std::string part_name(std::size_t part) override {
    return fmt::format("{}{}", part_prefix_, part);
  }

  const std::vector<std::string>& inputs() const { return inputs_; }

 private:
  static Printed infix(std::string_view word, Rank rank, std::span<Printed> a) {
    return infix_text(word, rank, std::move(a[0]), std::move(a[1]));
  }

  static Printed power(Printed& base, const Printed& exponent) {
    const Printed wrapped = bracketed(std::move(base), Rank::Atom);
    return {.text = fmt::format("{}**{}", wrapped.text, exponent.text),
            .rank = Rank::Power,
            .depth = std::max(wrapped.depth, exponent.depth) + 1};
  }

  std::vector<std::string> inputs_;
  const std::vector<double>* params_;
  std::string part_prefix_;
};

std::string signature(const Formula& formula,
                      const std::vector<std::string>& inputs, bool has_params) {
  std::string arguments = fmt::format("{}", fmt::join(inputs, ", "));
  if (has_params) arguments += arguments.empty() ? "params" : ", params";
  return fmt::format("def {}({}):\n",
                     identifier(formula.name, python_name_rules()), arguments);
}

}  // namespace

std::string to_python(const Formula& formula,
                      const std::vector<double>* params) {
  REQUIRE(
      params == nullptr || params->size() >= formula.body.param_count(),
      "to_python: there must be a number for each of the {} params, got {}.",
      formula.body.param_count(), params->size());
  REQUIRE(formula.inputs.size() >= formula.body.input_count(),
          "to_python: there must be a name for each of the {} inputs, got {}.",
          formula.body.input_count(), formula.inputs.size());
  PythonDialect dialect(formula, params);
  const PrintedParts printed =
      print_expression(formula.body, dialect, Sharing::WhereShorter);
  const bool has_params = params == nullptr && formula.body.param_count() > 0;
  std::string result = signature(formula, dialect.inputs(), has_params);
  if (!formula.docstring.empty()) {
    result += "    " + quoted_docstring(formula.docstring, "    ") + "\n";
  }
  for (const auto& [name, text] : printed.parts) {
    result += fmt::format("    {} = {}\n", name, text);
  }
  return result + fmt::format("    return {}\n", printed.result);
}

}  // namespace lamarck::formula
