#include "lamarck/archipelago/formula_skeleton.h"

#include <gtest/gtest.h>

namespace lamarck::archipelago {
namespace {

FormulaSkeleton parse_skeleton(const std::string& source,
                               std::vector<double> constants = {}) {
  auto formula = formula::parse_python(source);
  if (!formula) throw LogicError(formula.error());
  return FormulaSkeleton(std::move(*formula), std::move(constants), source);
}

constexpr const char* kLine =
    "def equation(x, params):\n"
    "    return params[0] * x + params[1]\n";

TEST(FormulaSkeleton, EvaluatesElementByElement) {
  const FormulaSkeleton line = parse_skeleton(kLine, {2, 1});

  const auto values = line.call(std::vector<std::vector<double>>{{0, 1, 2}});

  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::vector<double>{1, 3, 5}));
}

TEST(FormulaSkeleton, TakesParamsAsLastArgument) {
  const FormulaSkeleton line = parse_skeleton(kLine);

  const auto values =
      line.call(std::vector<std::vector<double>>{{0, 1}, {10, 5}});

  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::vector<double>{5, 15}));
}

TEST(FormulaSkeleton, RepeatsColumnOfLengthOne) {
  const FormulaSkeleton sum =
      parse_skeleton("def equation(x, y):\n    return x + y\n");

  const auto values =
      sum.call(std::vector<std::vector<double>>{{7}, {1, 2, 3}});

  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(*values, (std::vector<double>{8, 9, 10}));
}

TEST(FormulaSkeleton, RejectsMismatchedArguments) {
  const FormulaSkeleton sum =
      parse_skeleton("def equation(x, y):\n    return x + y\n");

  EXPECT_FALSE(sum.call(std::vector<std::vector<double>>{{1}}));
  EXPECT_FALSE(sum.call(std::vector<std::vector<double>>{{1, 2}, {1, 2, 3}}));
  EXPECT_FALSE(
      parse_skeleton(kLine).call(std::vector<std::vector<double>>{{1}, {2}}));
}

TEST(FormulaSkeleton, SetsMissingConstantsToOne) {
  const FormulaSkeleton line = parse_skeleton(kLine, {4});

  ASSERT_EQ(line.constants().size(), 2U);
  EXPECT_EQ(line.constants()[0], 4);
  EXPECT_EQ(line.constants()[1], 1);
}

TEST(FormulaSkeleton, AlgebraicallyEqualFormulasShareHash) {
  const auto hash = [](const char* body) {
    return parse_skeleton(std::string("def equation(x, params):\n    return ") +
                          body + "\n")
        .hash();
  };

  EXPECT_EQ(hash("x * params[0] + 0"), hash("params[0] * x"));
  EXPECT_EQ(hash("x + x"), hash("2 * x"));
  EXPECT_NE(hash("params[0] * x"), hash("params[0] + x"));
  EXPECT_NE(hash("params[0] * x"), hash("params[0] * x + params[1]"));
}

TEST(FormulaSkeleton, PrintedSourceParsesToSameFormula) {
  const FormulaSkeleton line = parse_skeleton(kLine);

  const FormulaSkeleton printed(line.formula());
  const FormulaSkeleton again = parse_skeleton(printed.source());

  EXPECT_EQ(again.hash(), line.hash());
  EXPECT_EQ(again.size(), line.size());
}

}  // namespace
}  // namespace lamarck::archipelago
