#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/latex_name.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

std::string latex(const std::string& text) {
  const auto formula = parse_infix(text, {"x", "y"});
  return formula ? to_latex(*formula) : formula.error().message();
}

TEST(PrintLatex, PrintsMathematicalNotation) {
  EXPECT_EQ(latex("x/y"), R"(\frac{x}{y})");
  EXPECT_EQ(latex("sqrt(x + 1)"), R"(\sqrt{x + 1})");
  EXPECT_EQ(latex("(x + y)**2"), R"(\left(x + y\right)^{2})");
  EXPECT_EQ(latex("2*x*sin(y)"), R"(2 \, x \, \sin\left(y\right))");
  EXPECT_EQ(latex("exp(-x)"), R"(e^{-x})");
  EXPECT_EQ(latex("exp(x)**2"), R"(\left(e^{x}\right)^{2})");
  EXPECT_EQ(latex("x*2"), R"(x \cdot 2)");
  EXPECT_EQ(latex("x*(y - 1)"), R"(x \, \left(y - 1\right))");
  EXPECT_EQ(latex("pi*1.5e-7"), R"(\pi \cdot \left(1.5 \cdot 10^{-7}\right))");
  EXPECT_EQ(latex("where(x < y, 1, x)"),
            R"(\begin{cases} 1 & \text{if } x < y \\ x & \text{otherwise} )"
            R"(\end{cases})");
}

TEST(PrintLatex, PrintsUnnamedParamsAsThetas) {
  Formula formula = *parse_infix("alpha*x + v_max", {"x"});
  EXPECT_EQ(to_latex(formula), R"(\alpha \, x + v_{\mathrm{max}})");

  formula.param_names.clear();
  EXPECT_EQ(to_latex(formula), R"(\theta_{0} \, x + \theta_{1})");
  const std::vector<double> params = {2, -3};
  EXPECT_EQ(to_latex(formula, &params), R"(2 \, x - 3)");
}

TEST(LatexName, UsesSubscriptsAndEscapes) {
  EXPECT_EQ(latex_name("x"), "x");
  EXPECT_EQ(latex_name("x12"), "x_{12}");
  EXPECT_EQ(latex_name("omega_0"), R"(\omega_{0})");
  EXPECT_EQ(latex_name("temperature"), R"(\mathrm{temperature})");
  EXPECT_EQ(latex_name("a_b_c"), R"(a_{\mathrm{b\_c}})");
  EXPECT_EQ(latex_name("50% {x}"), R"(\mathrm{50\%\ \{x\}})");
  EXPECT_EQ(latex_name("_x"), R"(\mathrm{\_x})");
  EXPECT_EQ(latex_name("12"), "12");
  EXPECT_EQ(latex_name(""), R"(\mathrm{})");
}

TEST(PrintLatex, BalancesBraces) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed);
    const std::string text =
        to_latex({.inputs = {"x", "y", "z"},
                  .body = random_expression(rng, {.is_wild = true})});
    int depth = 0;
    for (const char c : text) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      ASSERT_GE(depth, 0) << text;
    }
    EXPECT_EQ(depth, 0) << text;
  }
}

}  // namespace
}  // namespace lamarck::formula
