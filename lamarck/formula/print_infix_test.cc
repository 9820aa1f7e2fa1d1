#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

std::string reprint(const std::string& text, int digits = 6) {
  const auto formula = parse_infix(text, {"x", "y"});
  return formula ? to_infix(*formula, nullptr, digits)
                 : formula.error().message();
}

TEST(PrintInfix, PrintsReadableFormulas) {
  EXPECT_EQ(reprint("a*x + b"), "a*x + b");
  EXPECT_EQ(reprint("x + -2.0*y"), "x - 2*y");
  EXPECT_EQ(reprint("x - -y"), "x + y");
  EXPECT_EQ(reprint("-(x*y)"), "-x*y");
  EXPECT_EQ(reprint("-(x + y)"), "-(x + y)");
  EXPECT_EQ(reprint("x*(-2.0)"), "x*(-2)");
  EXPECT_EQ(reprint("(-x)^2"), "(-x)**2");
  EXPECT_EQ(reprint("reciprocal(x)*y"), "1/x*y");
  EXPECT_EQ(reprint("x/(y*2.0)"), "x/(y*2)");
  EXPECT_EQ(reprint("x < y and not y < 1"), "x < y and not y < 1");
  EXPECT_EQ(reprint("np.where(x > 1, x, max(y, 2))"),
            "where(1 < x, x, max(y, 2))");
}

TEST(PrintInfix, RoundsNumbers) {
  EXPECT_EQ(reprint("x + 0.123456789"), "x + 0.123457");
  EXPECT_EQ(reprint("x + 0.123456789", 2), "x + 0.12");
  EXPECT_EQ(reprint("x + 0.123456789", 17), "x + 0.123456789");
  EXPECT_EQ(reprint("x + 1e-9"), "x + 1e-09");
}

TEST(PrintInfix, PrintsParamNamesOrNumbers) {
  Formula formula = *parse_infix("a*x + b", {"x"});
  const std::vector<double> params = {-1.5, -2};
  EXPECT_EQ(to_infix(formula, &params), "-1.5*x - 2");

  formula.param_names.clear();
  EXPECT_EQ(to_infix(formula), "c0*x + c1");
  formula.inputs = {"c0"};
  EXPECT_EQ(to_infix(formula), "c_0*c0 + c_1");
}

TEST(PrintInfix, SplitsHugeFormulas) {
  ExpressionBuilder builder;
  NodeIndex x = builder.input(0);
  for (int i = 0; i < 100; ++i) x = builder.apply(Op::Mul, x, x);

  const std::string text =
      to_infix({.inputs = {"x"}, .body = builder.finish(x)});

  EXPECT_LT(text.size(), 10'000u);
  EXPECT_NE(text.find("\nt1 = "), std::string::npos);
}

TEST(PrintInfix, ParsesBackToSameValues) {
  const std::vector<std::string> names = {"x", "y", "z"};
  const std::vector<double> params = {0.7, -1.3, 2.1};
  const std::array<double, 3> inputs = {0.9, 1.7, -0.4};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const Formula formula{.inputs = names, .body = random_expression(rng, {})};
    const std::string text = to_infix(formula, &params, 17);
    const auto read = parse_infix(text, names);
    ASSERT_TRUE(read) << text << "\n" << read.error().message();
    const double before = scalar_value(formula.body, inputs, params);
    const double after = scalar_value(read->body, inputs, {});
    if (std::isfinite(before)) {
      EXPECT_NEAR(before, after, 1e-9 * (1 + std::abs(before))) << text;
    }
  }
}

}  // namespace
}  // namespace lamarck::formula
