#include "lamarck/formula/internal/expression_check_fixture.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace lamarck::formula {
namespace {

// Inputs of the kinds that the fuzzer found or started from.
TEST(ExpressionCheck, RepeatedPartsStayWithinLimits) {
  constexpr std::array kForms = std::to_array<std::string_view>(
      {"{0} * {0}", "{0} - (b - {0} * 3)", "({0} + 1) / ({0} - a)",
       "np.where({0} > b, {0}, -{0}) + {0}", "np.sqrt({0}) ** 3 * {0}",
       "np.minimum({0}, b) % ({0} + 2)", "-(-{0} - {0})",
       "np.sin({0}) * params[0] + {0}", "np.exp(np.log({0})) * {0}"});
  for (const std::string_view form : kForms) {
    for (const int lines : {60, 700}) {
      std::string source = "def equation(a, b, params):\n    x = a + a\n";
      for (int i = 0; i < lines; ++i) {
        source += "    x = " + fmt::format(fmt::runtime(form), "x") + "\n";
      }
      EXPECT_EQ(expression_fault(source + "    return x\n"), "") << form;
    }
  }
}

TEST(ExpressionCheck, CornersOfNumbersSurviveRoundTrip) {
  for (const std::string_view source :
       {"x - -0.0", "x ** -1 ** y", "1e308 * x * 10", "5e-324 / x",
        "a*x + b*y - c", "x % 0 + y % -1", "--x - -y", "x^2^y", "1/1/x",
        "min(x, y, 1) + max(-x, 0)", "not x and y or 3", "inf - x"}) {
    EXPECT_EQ(expression_fault(source), "") << source;
  }
}

}  // namespace
}  // namespace lamarck::formula
