#include "lamarck/report/law_mathml.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string_view>

#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"

namespace lamarck::report {
namespace {

using formula::Node;
using formula::NodeIndex;
using formula::Op;

// Operator precedence, loosest first; decides where brackets are needed.
enum class Rank { Comparison, Sum, Product, Power, Atom };

struct Markup {
  std::string text;
  Rank rank = Rank::Atom;
};

std::string row(const std::string& text) { return "<mrow>" + text + "</mrow>"; }
std::string mark(std::string_view sign) {
  return fmt::format("<mo>{}</mo>", sign);
}

// Adds brackets if the markup binds less tightly than `min_rank`.
std::string bracketed(const Markup& markup, Rank min_rank) {
  if (markup.rank >= min_rank) return row(markup.text);
  return row(mark("(") + markup.text + mark(")"));
}

// Writes "1.5e-07" as 1.5 times a power of ten.
Markup positive_number(double value) {
  if (value == std::numbers::pi) return {"<mi>&#960;</mi>"};
  const std::string text = short_number(value, 6);
  const std::size_t e = text.find('e');
  if (e == std::string::npos || !std::isfinite(value)) {
    return {fmt::format("<mn>{}</mn>", text)};
  }
  return {fmt::format("<mn>{}</mn><mo>&#215;</mo><msup><mn>10</mn>"
                      "<mn>{}</mn></msup>",
                      text.substr(0, e), std::stoi(text.substr(e + 1))),
          Rank::Product};
}

// A negative number has the rank of a sum, so that a product puts it in
// brackets.
Markup number_markup(double value) {
  if (!std::signbit(value)) return positive_number(value);
  return {mark("&#8722;") + positive_number(-value).text, Rank::Sum};
}

// A left-associative operator: its right side needs a tighter rank, as in
// a - (b + c).
Markup infix(std::string_view sign, Rank rank, const Markup& a,
             const Markup& b) {
  const Rank right =
      rank == Rank::Atom ? rank : static_cast<Rank>(static_cast<int>(rank) + 1);
  return {bracketed(a, rank) + mark(sign) + bracketed(b, right), rank};
}

Markup power(const Markup& base, const std::string& exponent) {
  return {"<msup>" + bracketed(base, Rank::Atom) + exponent + "</msup>",
          Rank::Power};
}

Markup fraction(const std::string& above, const std::string& below) {
  return {"<mfrac>" + row(above) + row(below) + "</mfrac>", Rank::Power};
}

class Writer {
 public:
  Writer(const formula::Formula& formula, const std::vector<double>& params)
      : formula_(formula), params_(params) {}

  Markup write(NodeIndex index) const {
    const Node& node = formula_.body.nodes()[index];
    const int arity = formula::operation(node.op).arity;
    if (arity == 0) return leaf(node);
    const Markup a = write(node.arguments[0]);
    if (arity == 1) return unary(node.op, a);
    const Markup b = write(node.arguments[1]);
    if (arity == 2) return binary(node.op, a, b);
    return call("where", a.text + mark(",") + b.text + mark(",") +
                             write(node.arguments[2]).text);
  }

 private:
  Markup leaf(const Node& node) const {
    if (node.op == Op::Constant) return number_markup(node.value);
    if (node.op == Op::Param) return number_markup(params_[node.index]);
    return {
        fmt::format("<mi>{}</mi>", markup_text(formula_.inputs[node.index]))};
  }

  // U+2061 is the invisible operator of function application.
  static Markup call(std::string_view name, const std::string& arguments) {
    return {fmt::format("<mi>{}</mi><mo>&#8289;</mo>", name) + mark("(") +
            arguments + mark(")")};
  }

  static Markup unary(Op op, const Markup& a) {
    switch (op) {
      case Op::Neg:
        return {mark("&#8722;") + bracketed(a, Rank::Product), Rank::Sum};
      case Op::Abs:
        return {mark("|") + row(a.text) + mark("|")};
      case Op::Square:
        return power(a, "<mn>2</mn>");
      case Op::Cube:
        return power(a, "<mn>3</mn>");
      case Op::Reciprocal:
        return fraction("<mn>1</mn>", a.text);
      case Op::Sqrt:
        return {"<msqrt>" + row(a.text) + "</msqrt>"};
      case Op::Cbrt:
        return {"<mroot>" + row(a.text) + "<mn>3</mn></mroot>"};
      case Op::Exp:
        return power({"<mi>e</mi>"}, row(a.text));
      default:
        return call(formula::operation(op).name, a.text);
    }
  }

  static Markup binary(Op op, const Markup& a, const Markup& b) {
    switch (op) {
      case Op::Add:
        return {
            bracketed(a, Rank::Sum) + mark("+") + bracketed(b, Rank::Product),
            Rank::Sum};
      case Op::Sub:
        return infix("&#8722;", Rank::Sum, a, b);
      case Op::Mul:
        return {bracketed(a, Rank::Product) + mark("&#8901;") +
                    bracketed(b, Rank::Product),
                Rank::Product};
      case Op::Div:
        return fraction(a.text, b.text);
      case Op::Pow:
        return power(a, row(b.text));
      case Op::Less:
        return infix("&lt;", Rank::Comparison, a, b);
      case Op::LessEqual:
        return infix("&#8804;", Rank::Comparison, a, b);
      case Op::Equal:
        return infix("=", Rank::Comparison, a, b);
      case Op::NotEqual:
        return infix("&#8800;", Rank::Comparison, a, b);
      default:
        return call(formula::operation(op).name, a.text + mark(",") + b.text);
    }
  }

  const formula::Formula& formula_;
  const std::vector<double>& params_;
};

}  // namespace

std::string to_mathml(const std::string& left, const formula::Formula& formula,
                      const std::vector<double>& params) {
  REQUIRE(params.size() >= formula.body.param_count(),
          "to_mathml: every parameter must have a value; the formula has {} "
          "parameters, got {} values.",
          formula.body.param_count(), params.size());
  const auto root = static_cast<NodeIndex>(formula.body.nodes().size() - 1);
  return fmt::format(
      "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">"
      "<mrow><mi>{}</mi><mo>=</mo>{}</mrow></math>\n",
      markup_text(left), Writer(formula, params).write(root).text);
}

}  // namespace lamarck::report
