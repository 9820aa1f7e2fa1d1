#include "lamarck/cli/evolve/plain_python.h"

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"

namespace lamarck::cli {
namespace {

TEST(PlainPython, KeepsOperators) {
  const std::string source = "def f(a, b):\n    return (a + b)*[1][0]\n";
  EXPECT_EQ(plain_python(source), source);
}

TEST(PlainPython, ReplacesNumpyByMathAndBuiltIns) {
  EXPECT_EQ(plain_python("def f(a):\n    return np.exp(np.abs(a)) + np.pi\n"),
            "import math\n\n\n"
            "def f(a):\n    return math.exp(abs(a)) + math.pi\n");
  EXPECT_EQ(plain_python("np.minimum(a, np.maximum((b), c))"),
            "min(a, max((b), c))");
}

TEST(PlainPython, ConditionsBecomeExpressions) {
  EXPECT_EQ(plain_python("np.where(np.logical_and(a < b, c), f(a, b), 2.5)"),
            "(f(a, b) if (a < b and c) else 2.5)");
}

TEST(PlainPython, KeepsNamesThatEndInNp) {
  EXPECT_EQ(plain_python("xnp.exp + 1"), "xnp.exp + 1");
}

TEST(PlainPython, ResultParsesAsSameFormula) {
  const auto formula = formula::parse_python(
      "def f(a, b):\n"
      "    return np.where(a < b, np.sqrt(np.arctan2(a, b)), np.log(a))*a**2\n",
      "f");
  ASSERT_TRUE(formula.has_value());
  const auto again =
      formula::parse_python(plain_python(formula::to_python(*formula)), "f");
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->body, formula->body);
}

}  // namespace
}  // namespace lamarck::cli
