#include "lamarck/gp/find_views.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/toy_problem_fixture.h"
#include "lamarck/gp/unit_views.h"

namespace lamarck::gp {
namespace {

using ViewRow = std::vector<double>;

std::string tree_text(const GpTree& tree, const RegressionProblem& problem) {
  if (tree.empty()) return "1";
  formula::ExpressionBuilder builder;
  formula::Formula formula;
  formula.inputs = problem.input_names;
  formula.body = builder.finish(append_tree(tree, builder, nullptr));
  return formula::to_infix(formula);
}

std::string view_text(const GpView& view, const RegressionProblem& problem) {
  std::string text = tree_text(view.factor, problem) + " *";
  for (const GpTree& input : view.inputs) {
    text += " " + tree_text(input, problem) + ";";
  }
  return text;
}

// The last view.
std::string last_view(const RegressionProblem& problem) {
  const auto chain = find_views(problem, plain_view(problem.inputs.size()), {});
  return chain.empty() ? "none" : view_text(chain.back(), problem);
}

TEST(FindViews, TurnPowersIntoAFactor) {
  const auto problem =
      toy_problem({.rows = 300, .inputs = 3}, [](const ViewRow& r) {
        return 7 * r[0] * std::sqrt(r[1]) / (r[2] * r[2]);
      });
  EXPECT_EQ(last_view(problem), "x0*sqrt(x1)/x2**2 *");
}

TEST(FindViews, FindDifferencesAndProducts) {
  const auto problem =
      toy_problem({.rows = 600, .inputs = 5}, [](const ViewRow& r) {
        return r[0] * (std::exp(r[1] * r[2] / 4) - std::cos(r[3] - r[4]));
      });
  EXPECT_EQ(last_view(problem), "x0 * x1*x2; x3 - x4;");
}

TEST(FindViews, FindSumsOfSquares) {
  const auto problem =
      toy_problem({.rows = 900, .inputs = 4}, [](const ViewRow& r) {
        const double square = (r[0] - r[1]) * (r[0] - r[1]) + r[2] * r[2];
        return std::log(1 + square) * r[3];
      });
  EXPECT_EQ(last_view(problem), "x3 * (x0 - x1)**2 + x2**2;");
}

TEST(FindViews, FindRatiosWithPowers) {
  const auto problem =
      toy_problem({.rows = 300, .inputs = 2}, [](const ViewRow& r) {
        return r[0] * r[0] * r[0] / (r[0] + r[1]) + r[0] * r[1];
      });
  EXPECT_EQ(last_view(problem), "x0**2 * x0/x1;");
}

TEST(FindViews, FindDifferencesOfAnglesOverAWholeTurn) {
  const auto problem = toy_problem(
      {.rows = 1000, .inputs = 4, .low = 0.5, .high = 6}, [](const ViewRow& r) {
        return std::sqrt(r[0] * r[0] + r[1] * r[1] -
                         2 * r[0] * r[1] * std::cos(r[2] - r[3]));
      });
  EXPECT_EQ(last_view(problem), "x1 * x0/x1; x2 - x3;");
}

TEST(FindViews, FindFactorsThatAreNoPowers) {
  const auto problem = toy_problem(
      {.rows = 600, .inputs = 4, .low = 1, .high = 2}, [](const ViewRow& r) {
        const double ratio = r[0] / (r[1] + 2);
        return std::cos(r[2]) / ((1 + r[3]) * (1 + r[3])) * std::exp(ratio);
      });
  const auto chain = find_views(problem, plain_view(4), {});
  ASSERT_GE(chain.size(), 2U);
  EXPECT_EQ(view_text(chain[1], problem), "cos(x2)/(1 + x3)**2 * x0; x1;");
}

TEST(FindViews, FindPowersOfLawsThatOscillate) {
  const auto problem = toy_problem(
      {.rows = 2000, .inputs = 5, .low = 1, .high = 4}, [](const ViewRow& r) {
        const double s = std::sin((r[2] - r[3]) * r[4] / 2);
        return r[0] * s * s / (r[1] * r[4]);
      });
  const auto chain = find_views(problem, plain_view(5), {});
  ASSERT_GE(chain.size(), 2U);
  EXPECT_EQ(view_text(chain[1], problem), "1/x1*x0 * x2; x3; x4;");
}

TEST(FindViews, LeaveLawsWithoutSymmetryAlone) {
  const auto problem =
      toy_problem({.rows = 300, .inputs = 2}, [](const ViewRow& r) {
        return std::sin(3 * r[0]) + std::exp(r[1]) * r[0];
      });
  EXPECT_EQ(last_view(problem), "none");
}

TEST(FindViews, NeedsRows) {
  const auto problem = toy_problem(
      {.rows = 20, .inputs = 2}, [](const ViewRow& r) { return r[0] * r[1]; });
  EXPECT_TRUE(find_views(problem, plain_view(2)).empty());
}

formula::Dimensions dimensions(const std::vector<std::string>& inputs,
                               const std::string& target) {
  std::vector<formula::Dimension> all;
  for (const std::string& each : inputs) {
    all.push_back(formula::parse_unit(each).value());
  }
  return {std::move(all), formula::parse_unit(target).value()};
}

TEST(UnitViews, HavePureNumbersAsInputs) {
  const auto problem = toy_problem({.rows = 50, .inputs = 3},
                                   [](const ViewRow& r) { return r[0]; });
  // A mass and two speeds give an energy.
  const auto energy = dimensions({"kg", "m/s", "m/s"}, "J");
  const auto views = unit_views(problem, plain_view(3), energy, 9);
  ASSERT_EQ(views.size(), 2U);
  for (const GpView& view : views) {
    EXPECT_EQ(view.inputs.size(), 1U);
    EXPECT_TRUE(is_consistent(view, energy));
  }
  EXPECT_EQ(view_text(views[0], problem), "x0*x1**2 * x2/x1;");
}

TEST(UnitViews, NeedInputsThatGiveTheTarget) {
  const auto problem = toy_problem({.rows = 50, .inputs = 2},
                                   [](const ViewRow& r) { return r[0]; });
  const auto time = dimensions({"kg", "m"}, "s");
  EXPECT_FALSE(can_express_target(time));
  EXPECT_TRUE(unit_views(problem, plain_view(2), time, 9).empty());
  EXPECT_TRUE(can_express_target(dimensions({"kg", "m"}, "kg*m^2")));
}

TEST(View, ModelsOfAViewHaveTheSameValues) {
  const auto problem = toy_problem({.rows = 50, .inputs = 2},
                                   [](const ViewRow& r) { return r[0]; });
  const GpView view{
      .inputs = {gp_apply(formula::Op::Sub, gp_input(0), gp_input(1))},
      .factor = gp_power(gp_input(1), -1.5)};
  GpModel model;
  model.terms = {gp_apply(formula::Op::Sin, gp_input(0)), gp_input(0)};
  model.coefficients = {2, 3};
  model.intercept = 5;
  const GpModel plain = seen_plainly(model, view);
  ASSERT_EQ(plain.terms.size(), 1U);
  for (std::size_t row = 0; row < 5; ++row) {
    const ViewRow r = {problem.inputs[0][row], problem.inputs[1][row]};
    const double u = r[0] - r[1];
    const double g = 2 * std::sin(u) + 3 * u + 5;
    // The scale is the coefficient of the term.
    EXPECT_NEAR(2 * toy_value(plain.terms[0], r), g * std::pow(r[1], -1.5),
                1e-12);
  }
}

}  // namespace
}  // namespace lamarck::gp
