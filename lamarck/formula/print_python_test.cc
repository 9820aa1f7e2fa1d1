#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

// The returned expression of a formula that prints as one line.
std::string returned(const std::string& infix) {
  const auto formula = parse_infix(infix, {"x", "y"});
  if (!formula) return formula.error().message();
  const std::string text = to_python(*formula);
  const std::string mark = "    return ";
  const std::size_t start = text.find(mark) + mark.size();
  return text.substr(start, text.size() - start - 1);
}

TEST(PrintPython, PrintsFunction) {
  Formula formula = *parse_infix("a*x + b", {"x"});
  formula.name = "line";
  formula.docstring = "A line.";

  EXPECT_EQ(to_python(formula),
            "def line(x, params):\n"
            "    \"\"\"A line.\"\"\"\n"
            "    return params[0] * x + params[1]\n");
}

TEST(PrintPython, ReplacesParamsByNumbers) {
  const Formula formula = *parse_infix("a*x + b", {"x"});
  const std::vector<double> params = {-2, 0.1};

  EXPECT_EQ(to_python(formula, &params),
            "def equation(x):\n    return -2.0 * x + 0.1\n");
  const std::vector<double> too_few = {1};
  EXPECT_THROW(to_python(formula, &too_few), LogicError);
}

TEST(PrintPython, UsesMinimalParentheses) {
  EXPECT_EQ(returned("(x + y) * 2.5"), "(x + y) * 2.5");
  EXPECT_EQ(returned("x - (y - 1.5)"), "x - (y - 1.5)");
  EXPECT_EQ(returned("(x*y)/(x/y)"), "x * y / (x / y)");
  EXPECT_EQ(returned("-x**2"), "-x**2");
  EXPECT_EQ(returned("(-x)**2"), "(-x)**2");
  EXPECT_EQ(returned("x**y**x"), "x**y**x");
  EXPECT_EQ(returned("(x**y)**x"), "(x**y)**x");
  EXPECT_EQ(returned("x**-0.5"), "x**-0.5");
  EXPECT_EQ(returned("(x < y) < 1.5"), "(x < y) < 1.5");
}

TEST(PrintPython, KeepsAllDigits) {
  EXPECT_EQ(returned("x + 0.1"), "x + 0.1");
  EXPECT_EQ(returned("x + 1e300"), "x + 1e+300");
  EXPECT_EQ(returned("x + 0.30000000000000004"), "x + 0.30000000000000004");
  EXPECT_EQ(returned("x*pi"), "x * np.pi");
  EXPECT_EQ(returned("min(x, inf)"), "np.minimum(x, np.inf)");
  EXPECT_EQ(returned("2*x"), "2.0 * x");
}

TEST(PrintPython, NamesSharedPartsWhereShorter) {
  const Formula formula =
      *parse_infix("exp(x*y + 1.5)*sin(exp(x*y + 1.5)) + x*y", {"x", "y"});

  EXPECT_EQ(to_python(formula),
            "def equation(x, y):\n"
            "    t0 = np.exp(x * y + 1.5)\n"
            "    return t0 * np.sin(t0) + x * y\n");
}

TEST(PrintPython, ConvertsNamesToIdentifiers) {
  Formula formula = *parse_infix("x + y + z", {"x", "y", "z"});
  formula.inputs = {"sepal length", "lambda", "params"};

  const std::string text = to_python(formula);

  EXPECT_EQ(text.substr(0, text.find('\n')),
            "def equation(sepal_length, lambda_, params_):");
  EXPECT_TRUE(parse_python(text));
}

TEST(PrintPython, RoundTripsDocstrings) {
  Formula formula = *parse_infix("x", {"x"});
  for (const char* text :
       {"one", "two\nlines", "\"quoted\"", "a \\ b", "ends with \"", "\"\"\"",
        "first\n\n  deeper\nlast"}) {
    formula.docstring = text;
    const auto again = parse_python(to_python(formula));
    ASSERT_TRUE(again) << to_python(formula);
    EXPECT_EQ(again->docstring, text);
  }
}

TEST(PrintPython, RoundTripsRandomExpressions) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Rng rng(seed);
    const Formula formula{
        .inputs = {"x", "y", "z"},
        .body = random_expression(
            rng, {.operations = 1 + seed % 60, .is_wild = true})};

    const std::string text = to_python(formula);
    const auto again = parse_python(text);

    ASSERT_TRUE(again) << again.error().message() << "\n" << text;
    ASSERT_EQ(again->body, formula.body) << "seed " << seed << "\n"
                                         << text << to_python(*again);
  }
}

TEST(PrintPython, RoundTripsDeepAndSharedExpressions) {
  for (const Op op : {Op::Sin, Op::Neg, Op::Square, Op::Not}) {
    ExpressionBuilder builder;
    NodeIndex x = builder.input(0);
    for (int i = 0; i < 1000; ++i) x = builder.apply(op, x);
    const Formula formula{.inputs = {"x"}, .body = builder.finish(x)};
    const auto again = parse_python(to_python(formula));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->body, formula.body);
  }
  for (const Op op : {Op::Add, Op::Pow, Op::Maximum, Op::Less}) {
    ExpressionBuilder builder;
    NodeIndex x = builder.input(0);
    for (int i = 0; i < 1000; ++i) x = builder.apply(op, x, x);
    NodeIndex right = x;
    for (int i = 0; i < 500; ++i) {
      right = builder.apply(op, builder.input(1), right);
    }
    const Formula formula{.inputs = {"x", "y"}, .body = builder.finish(right)};
    const auto again = parse_python(to_python(formula));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->body, formula.body);
  }
}

}  // namespace
}  // namespace lamarck::formula
