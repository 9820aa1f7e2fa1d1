#include "lamarck/report/law_mathml.h"

#include <gtest/gtest.h>

namespace lamarck::report {
namespace {

std::string mathml(const char* text, std::vector<double> params = {}) {
  const auto formula = formula::parse_infix(text, {"x", "y"});
  return to_mathml("z", formula.value(), params);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(LawMathml, DrawsFractionsPowersAndRoots) {
  const std::string math = mathml("sqrt(x/y)**3");
  EXPECT_TRUE(contains(math, "<mfrac>"));
  EXPECT_TRUE(contains(math, "<msqrt>"));
  EXPECT_TRUE(contains(math, "<msup>"));
}

TEST(LawMathml, WritesOnlyNecessaryBrackets) {
  EXPECT_TRUE(contains(mathml("x*(x + y)"), "<mo>(</mo>"));
  EXPECT_FALSE(contains(mathml("x + x*y"), "<mo>(</mo>"));
  EXPECT_TRUE(contains(mathml("x - (x + y)"), "<mo>(</mo>"));
}

TEST(LawMathml, WritesParametersAsNumbers) {
  const std::string math = mathml("a*x + b", {2.5, 1.5e-9});
  EXPECT_TRUE(contains(math, "<mn>2.5</mn>"));
  EXPECT_TRUE(contains(math, "<msup><mn>10</mn><mn>-9</mn></msup>"));
}

TEST(LawMathml, EscapesNames) {
  formula::Formula formula = formula::parse_infix("x", {"x"}).value();
  formula.inputs = {"<b>"};
  EXPECT_TRUE(contains(to_mathml("a&b", formula, {}),
                       "<mi>a&amp;b</mi><mo>=</mo><mi>&lt;b&gt;</mi>"));
}

TEST(LawMathml, SupportsEveryOperation) {
  for (const auto& operation : formula::operations()) {
    formula::ExpressionBuilder builder;
    const auto x = builder.input(0);
    formula::NodeIndex root = x;
    if (operation.arity == 1) root = builder.apply(operation.op, x);
    if (operation.arity == 2) root = builder.apply(operation.op, x, x);
    if (operation.arity == 3) root = builder.apply(operation.op, x, x, x);
    formula::Formula formula;
    formula.inputs = {"x"};
    formula.body = builder.finish(root);
    EXPECT_TRUE(contains(to_mathml("z", formula, {}), "<mi>x</mi>"))
        << operation.name;
  }
}

}  // namespace
}  // namespace lamarck::report
