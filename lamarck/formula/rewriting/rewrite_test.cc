#include "lamarck/formula/rewriting/rewrite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/formula/formula.h"

namespace lamarck::formula {
namespace {

struct RewriteCase {
  std::string found;
  std::vector<std::string> inputs;
  std::string law;
  std::vector<double> factors =
      {};  // Of the range of each input; 1 by default.
};

// Random rows; all inputs are between `low` and `high`.
std::vector<std::vector<double>> random_columns(std::size_t inputs, double low,
                                                double high) {
  Rng rng(7);
  std::vector<std::vector<double>> columns(inputs);
  for (auto& column : columns) {
    for (int i = 0; i < 100; ++i) {
      column.push_back(low + (high - low) * rng.uniform());
    }
  }
  return columns;
}

std::string rewritten(const RewriteCase& each, double low, double high,
                      double recognition = 1e-12) {
  const Formula formula = parse_infix(each.found, each.inputs).value();
  auto columns = random_columns(each.inputs.size(), low, high);
  for (std::size_t i = 0; i < each.factors.size(); ++i) {
    for (double& value : columns[i]) value *= each.factors[i];
  }
  std::vector<const double*> pointers;
  for (const auto& column : columns) pointers.push_back(column.data());
  const Rewriting result =
      rewrite(formula.body, {}, {.inputs = pointers, .rows = 100},
              {.recognition = recognition});
  Formula simple = formula;
  simple.body = result.body;
  for (std::size_t row = 0; row < 100; ++row) {
    std::vector<double> inputs;
    for (const auto& column : columns) inputs.push_back(column[row]);
    const double expected = evaluate_row(formula.body, inputs, {});
    const double actual = evaluate_row(result.body, inputs, result.params);
    EXPECT_NEAR(actual, expected, 1e-9 * std::fabs(expected) + 1e-12)
        << each.found;
  }
  return to_infix(simple, &result.params);
}

TEST(Rewrite, PrintsLawsAsInTextbooks) {
  const std::vector<RewriteCase> cases = {
      {"0.8241366543426241*(sqrt(1/((u/c)**2*(-0.6792012250310537) + "
       "0.6792012250310537))*(x - u*t))",
       {"x", "u", "c", "t"},
       "(x - u*t)/sqrt(1 - (u/c)**2)",
       {1, 1, 4, 1}},
      {"0.10251842464171311*(q/epsilon/((v/c*(-1.2882845188480192) + "
       "1.288284518848019)*r))",
       {"q", "epsilon", "r", "v", "c"},
       "q/(4*pi*epsilon*r*(1 - v/c))"},
      {"0.25*(((omega + omega_0)*m*x)**2/m) - 0.5*(m*x*omega*x*omega_0)",
       {"m", "omega", "omega_0", "x"},
       "m*x**2*(omega**2 + omega_0**2)/4"},
      {"1*(sqrt(I1*I2)*cos(delta)*2 + (I1 + I2))",
       {"I1", "I2", "delta"},
       "I1 + I2 + 2*sqrt(I1*I2)*cos(delta)"},
      {"1*(tanh(1/(kb/B*T/mom))*(n_rho*mom))",
       {"n_rho", "mom", "B", "kb", "T"},
       "n_rho*mom*tanh(mom*B/(kb*T))"},
      {"0.3376186185589148*sqrt(r**(-10)*z*(p_d/epsilon)*z*(((x - y)*"
       "(-0.7071067811865476))**2 + x*y)*(p_d/epsilon))",
       {"epsilon", "p_d", "r", "x", "y", "z"},
       "3*p_d*z*sqrt(x**2 + y**2)/(4*pi*epsilon*r**5)"},
  };
  for (const RewriteCase& each : cases) {
    EXPECT_EQ(rewritten(each, 1, 3), each.law);
  }
}

TEST(Rewrite, KnowsIdentitiesOfFunctions) {
  const std::vector<RewriteCase> cases = {
      {"sin(x)**2 + cos(x)**2 + y", {"x", "y"}, "1 + y"},
      {"2*sin(x)*cos(x)", {"x"}, "sin(2*x)"},
      {"sin(x)*cos(y) + cos(x)*sin(y)", {"x", "y"}, "sin(x + y)"},
      {"exp(x)*exp(y)", {"x", "y"}, "exp(x + y)"},
      {"log(x) + log(y)", {"x", "y"}, "log(x*y)"},
      {"(exp(x) - exp(-x))/(exp(x) + exp(-x))", {"x"}, "tanh(x)"},
      {"sqrt(x**2)", {"x"}, "x"},
      {"x**2 + 2*x*y + y**2", {"x", "y"}, "(x + y)**2"},
  };
  for (const RewriteCase& each : cases) {
    const Formula expected = parse_infix(each.law, each.inputs).value();
    const std::string text = rewritten(each, 1, 3);
    EXPECT_LE(parse_infix(text, each.inputs).value().body.size(),
              expected.body.size())
        << each.found << " became " << text;
  }
}

TEST(Rewrite, UsesSignsOfTheRows) {
  const RewriteCase root = {"sqrt(x**2)", {"x"}, ""};
  EXPECT_EQ(rewritten(root, 1, 3), "x");
  EXPECT_EQ(rewritten(root, -3, -1), "-x");
  EXPECT_EQ(rewritten(root, -3, 3), "abs(x)");
}

TEST(Rewrite, KeepsNumbersWithoutRecognition) {
  const RewriteCase third = {"0.3333*x*2", {"x"}, ""};
  EXPECT_EQ(rewritten(third, 1, 3, 0), "0.6666*x");
}

}  // namespace
}  // namespace lamarck::formula
