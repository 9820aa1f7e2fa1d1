#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

double infix_value(const std::string& text) {
  constexpr std::array<double, 2> kInputs = {3, -2};
  constexpr std::array<double, 2> kParams = {10, 20};
  const auto formula = parse_infix(text, {"x", "y"});
  EXPECT_TRUE(formula) << formula.error().message();
  return formula ? scalar_value(formula->body, kInputs, kParams) : NAN;
}

std::string infix_error(const std::string& text) {
  const auto formula = parse_infix(text, {"x", "y"});
  return formula ? "no error" : formula.error().message();
}

TEST(ParseInfix, UnknownNamesBecomeParamsInOrder) {
  const auto formula = parse_infix("b*x + a + b", {"x"});

  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(formula->param_names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(formula->body.param_count(), 2u);
}

TEST(ParseInfix, ParsesFormulas) {
  EXPECT_EQ(infix_value("a*x + b"), 50);
  EXPECT_EQ(infix_value("x^2"), 9);
  EXPECT_EQ(infix_value("-x^2"), -9);
  EXPECT_EQ(infix_value("2^3^2"), 512);
  EXPECT_EQ(infix_value("abs(y) + sqrt(x + 6)"), 5);
  EXPECT_EQ(infix_value("np.exp(0*x)"), 1);
  EXPECT_EQ(infix_value("where(x > y, 1, 2)"), 1);
  EXPECT_EQ(infix_value("cos(pi)"), -1);
  EXPECT_EQ(infix_value("log(e)"), 1);
  EXPECT_EQ(infix_value("x +\n y"), 1);
  EXPECT_EQ(infix_value("1 if x > 0 else 2"), 1);
}

TEST(ParseInfix, InputsShadowKnownConstants) {
  const auto formula = parse_infix("e + pi", {"e"});

  EXPECT_EQ(formula->body.input_count(), 1u);
  EXPECT_TRUE(formula->param_names.empty());
}

TEST(ParseInfix, AcceptsPrintedColumnNames) {
  const auto formula = parse_infix("2*sepal_length", {"sepal length"});

  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->body.input_count(), 1u);
  EXPECT_EQ(to_infix(*formula), "2*sepal_length");
}

TEST(ParseInfix, ErrorsNameColumn) {
  EXPECT_EQ(
      infix_error("2 x"),
      "Column 3: expected an operator before 'x'; write products with '*'.");
  EXPECT_EQ(infix_error("sqrtt(x)"),
            "Column 1: unknown function 'sqrtt'; use an elementwise function "
            "of numpy. Did you mean 'sqrt'?");
  EXPECT_EQ(infix_error("x + "),
            "Column 5: expected a number, a name or a formula, got the end of "
            "the text.");
  EXPECT_EQ(infix_error("x(2)"),
            "Column 1: 'x' is a number and cannot be called; for a product "
            "write x * (...).");
  for (const char* text : {"", "x =", "x = 2", "(x", "x)", "x;y", "x, y", "[x]",
                           "x[0]", "'x'", "lambda: x", "x..y", "2x"}) {
    EXPECT_NE(infix_error(text), "no error") << text;
  }
}

TEST(ParseInfix, EnforcesLimits) {
  std::string sum = "a0";
  for (int i = 1; i < 300; ++i) sum += " + a" + std::to_string(i);
  EXPECT_NE(infix_error(sum), "no error");
  EXPECT_NE(infix_error(std::string(60'000, '(')), "no error");
  EXPECT_NE(infix_error(std::string(100'000, ' ')), "no error");
}

}  // namespace
}  // namespace lamarck::formula
