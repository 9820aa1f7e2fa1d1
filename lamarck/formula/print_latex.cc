#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/latex_name.h"
#include "lamarck/formula/internal/operator_text.h"

namespace lamarck::formula {
namespace {

struct Template {
  Op op;
  std::string_view text;
  Rank rank = Rank::Atom;
};

// Operations whose LaTeX form encloses the arguments, so that they need no
// parentheses.
constexpr std::array kTemplates = std::to_array<Template>({
    {Op::Div, R"(\frac{{{}}}{{{}}})"},
    {Op::Reciprocal, R"(\frac{{1}}{{{}}})"},
    {Op::Sqrt, R"(\sqrt{{{}}})"},
    {Op::Cbrt, R"(\sqrt[3]{{{}}})"},
    {Op::Exp, R"(e^{{{}}})", Rank::Power},
    {Op::Expm1, R"(e^{{{}}} - 1)", Rank::Sum},
    {Op::Abs, R"(\left|{}\right|)"},
    {Op::Floor, R"(\left\lfloor {} \right\rfloor)"},
    {Op::Ceil, R"(\left\lceil {} \right\rceil)"},
    {Op::Log, R"(\ln\left({}\right))"},
    {Op::Log1p, R"(\ln\left(1 + {}\right))"},
    {Op::Log2, R"(\log_{{2}}\left({}\right))"},
    {Op::Log10, R"(\log_{{10}}\left({}\right))"},
    {Op::Sin, R"(\sin\left({}\right))"},
    {Op::Cos, R"(\cos\left({}\right))"},
    {Op::Tan, R"(\tan\left({}\right))"},
    {Op::Arcsin, R"(\arcsin\left({}\right))"},
    {Op::Arccos, R"(\arccos\left({}\right))"},
    {Op::Arctan, R"(\arctan\left({}\right))"},
    {Op::Sinh, R"(\sinh\left({}\right))"},
    {Op::Cosh, R"(\cosh\left({}\right))"},
    {Op::Tanh, R"(\tanh\left({}\right))"},
    {Op::Sign, R"(\operatorname{{sign}}\left({}\right))"},
    {Op::Round, R"(\operatorname{{round}}\left({}\right))"},
    {Op::Minimum, R"(\min\left({}, {}\right))"},
    {Op::Maximum, R"(\max\left({}, {}\right))"},
    {Op::Arctan2, R"(\operatorname{{atan2}}\left({}, {}\right))"},
    {Op::Hypot, R"(\operatorname{{hypot}}\left({}, {}\right))"},
    {Op::Where,
     R"(\begin{{cases}} {1} & \text{{if }} {0} \\ {2} & \text{{otherwise}} )"
     R"(\end{{cases}})"},
});

Printed wrapped(Printed part, Rank min_rank) {
  return bracketed(std::move(part), min_rank, R"(\left()", R"(\right))");
}

bool begins_with_digit(const std::string& text) {
  return text[0] >= '0' && text[0] <= '9';
}

Printed latex_joined(Printed a, std::string_view word, Printed b, Rank rank) {
  const Rank right = static_cast<Rank>(static_cast<int>(rank) + 1);
  a = wrapped(std::move(a), rank);
  b = wrapped(std::move(b), right);
  return {.text = a.text + std::string(word) + b.text,
          .rank = rank,
          .depth = std::max(a.depth, b.depth)};
}

Printed latex_sum(Printed a, Printed b, bool is_difference) {
  if (b.rank >= Rank::Product && b.text[0] == '-') {
    b.text.erase(0, 1);
    is_difference = !is_difference;
  }
  return latex_joined(std::move(a), is_difference ? " - " : " + ", std::move(b),
                      Rank::Sum);
}

Printed latex_product(Printed a, Printed b) {
  // A minus within a product gets parentheses.
  if (b.text[0] == '-') b.rank = Rank::Choice;
  // A thin space before a digit would look like one number.
  const bool needs_dot = b.is_number || begins_with_digit(b.text);
  return latex_joined(std::move(a), needs_dot ? R"( \cdot )" : R"( \, )",
                      std::move(b), Rank::Product);
}

Printed latex_negated(Printed a) {
  if (a.text[0] == '-') a.rank = Rank::Choice;
  a = wrapped(std::move(a), Rank::Product);
  return {.text = "-" + a.text,
          .rank = std::min(a.rank, Rank::Sign),
          .depth = a.depth + 1};
}

Printed latex_power(Printed base, const Printed& exponent) {
  base = wrapped(std::move(base), Rank::Atom);
  return {.text = fmt::format("{}^{{{}}}", base.text, exponent.text),
          .rank = Rank::Power,
          .depth = std::max(base.depth, exponent.depth) + 1};
}

// Prints 1.5e-07 as 1.5 \cdot 10^{-7}.
std::string latex_number_text(double value, int digits) {
  if (std::isnan(value)) return R"(\mathrm{NaN})";
  if (std::isinf(value)) return value > 0 ? R"(\infty)" : R"(-\infty)";
  std::string text = rounded_number(value, digits);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format(R"({} \cdot 10^{{{}}})", text.substr(0, e),
                     std::stoi(text.substr(e + 1)));
}

class LatexDialect : public Dialect {
 public:
  LatexDialect(const Formula& formula, const std::vector<double>* params,
               int digits)
      : formula_(formula), params_(params), digits_(digits) {}

  Printed leaf(const Node& node) override {
    if (node.op == Op::Constant) return number(node.value);
    if (node.op == Op::Input) return name(formula_.inputs[node.index]);
    if (params_ != nullptr) return number((*params_)[node.index]);
    if (node.index < formula_.param_names.size()) {
      return name(formula_.param_names[node.index]);
    }
    return {.text = fmt::format(R"(\theta_{{{}}})", node.index)};
  }

  Printed operation(const Node& node, std::span<Printed> a) override {
    switch (node.op) {
      case Op::Add:
        return latex_sum(std::move(a[0]), std::move(a[1]), false);
      case Op::Sub:
        return latex_sum(std::move(a[0]), std::move(a[1]), true);
      case Op::Mul:
        return latex_product(std::move(a[0]), std::move(a[1]));
      case Op::Neg:
        return latex_negated(std::move(a[0]));
      case Op::Pow:
        return latex_power(std::move(a[0]), a[1]);
      case Op::Square:
        return latex_power(std::move(a[0]), {.text = "2"});
      case Op::Cube:
        return latex_power(std::move(a[0]), {.text = "3"});
      case Op::Mod: {
        Printed result = infix(R"( \bmod )", Rank::Sign, a);
        result.rank = Rank::Comparison;
        return result;
      }
      case Op::Less:
        return comparison(" < ", a);
      case Op::LessEqual:
        return comparison(R"( \le )", a);
      case Op::Equal:
        return comparison(" = ", a);
      case Op::NotEqual:
        return comparison(R"( \ne )", a);
      case Op::And:
        return infix(R"( \land )", Rank::And, a);
      case Op::Or:
        return infix(R"( \lor )", Rank::Or, a);
      case Op::Not: {
        Printed inner = wrapped(std::move(a[0]), Rank::Atom);
        inner.text.insert(0, R"(\lnot )");
        inner.rank = Rank::Not;
        return inner;
      }
      default:
        return from_template(node.op, a);
    }
  }

  std::string part_name(std::size_t part) override {
    return fmt::format("t_{{{}}}", part);
  }

 private:
  Printed number(double value) const {
    std::string text = value == std::numbers::pi
                           ? R"(\pi)"
                           : latex_number_text(value, digits_);
    const Rank rank = text[0] == '-'                        ? Rank::Sign
                      : text.find('^') != std::string::npos ? Rank::Product
                                                            : Rank::Atom;
    return {.text = std::move(text), .rank = rank, .is_number = true};
  }

  // Names with a subscript need no parentheses under an exponent.
  static Printed name(const std::string& text) {
    return {.text = latex_name(text)};
  }

  static Printed infix(std::string_view word, Rank rank, std::span<Printed> a) {
    return latex_joined(std::move(a[0]), word, std::move(a[1]), rank);
  }

  static Printed comparison(std::string_view word, std::span<Printed> a) {
    Printed left = wrapped(std::move(a[0]), Rank::Sum);
    return latex_joined(std::move(left), word, std::move(a[1]),
                        Rank::Comparison);
  }

  static Printed from_template(Op op, std::span<Printed> a) {
    const auto entry =
        std::find_if(kTemplates.begin(), kTemplates.end(),
                     [&](const Template& each) { return each.op == op; });
    ENSURE(entry != kTemplates.end(), "every operation has a LaTeX form");
    std::array<std::string, 3> texts;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      texts[i] = std::move(a[i].text);
      depth = std::max(depth, a[i].depth + 1);
    }
    return {.text = fmt::format(fmt::runtime(entry->text), texts[0], texts[1],
                                texts[2]),
            .rank = entry->rank,
            .depth = depth};
  }

  const Formula& formula_;
  const std::vector<double>* params_;
  int digits_;
};

}  // namespace

std::string to_latex(const Formula& formula, const std::vector<double>* params,
                     int digits) {
  REQUIRE(params == nullptr || params->size() >= formula.body.param_count(),
          "to_latex: there must be a number for each of the {} params, got {}.",
          formula.body.param_count(), params->size());
  REQUIRE(formula.inputs.size() >= formula.body.input_count(),
          "to_latex: there must be a name for each of the {} inputs, got {}.",
          formula.body.input_count(), formula.inputs.size());
  LatexDialect dialect(formula, params, digits);
  const PrintedParts printed =
      print_expression(formula.body, dialect, Sharing::OnlyIfHuge);
  std::string result;
  for (const auto& [name, text] : printed.parts) {
    result += fmt::format("{} = {} \\\\\n", name, text);
  }
  return result + printed.result;
}

}  // namespace lamarck::formula
