// The residual of a fit, and its derivatives with respect to nodes.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/block_sums.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

RegressionProblem product_wave(std::size_t rows) {
  return toy_problem({.rows = rows, .inputs = 2},
                     [](const Row& r) { return 2 + std::sin(r[0]) * r[1]; });
}

Row make_row(const RegressionProblem& problem, std::size_t row) {
  Row values;
  for (const auto& column : problem.inputs) values.push_back(column[row]);
  return values;
}

GpModel fitted(std::vector<GpTree> terms, const GpRows& rows,
               GpFitter& fitter) {
  GpModel model;
  model.terms = std::move(terms);
  EXPECT_TRUE(fitter.fit(model, rows, {}));
  return model;
}

void check_remains(const GpData& data) {
  const GpRows& rows = data.subset();
  const std::size_t n = rows.rows;
  GpFitter fitter;
  const GpModel model = fitted({gp_input(0), gp_input(1)}, rows, fitter);
  std::vector<double> values;
  fitter.values(model, rows, values);
  const auto remains = fitter.remains(model, rows);
  ASSERT_EQ(remains.basis.size(), 3u);
  ASSERT_EQ(remains.columns.size(), 2u);
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = rows.weight.data() == nullptr ? 1 : rows.weight[i];
    EXPECT_NEAR(remains.residual[i], rows.target[i] - weight * values[i],
                1e-11);
    EXPECT_NEAR(remains.columns[1][i], weight * rows.inputs[1][i], 1e-12);
  }
  for (const double* a : remains.basis) {
    EXPECT_NEAR(formula::dot(a, remains.residual, n), 0, 1e-10);
    for (const double* b : remains.basis) {
      EXPECT_NEAR(formula::dot(a, b, n), a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(GpFitRemains, ResidualIsOrthogonalToBasis) {
  const auto problem = product_wave(60);
  check_remains(GpData(problem, GpLink::Identity, {}, Rng(1)));
  check_remains(GpData(problem, GpLink::Inverse, {}, Rng(1)));
}

TEST(GpFitRemains, BasisLeavesOutDependentTerms) {
  const auto problem = product_wave(30);
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  GpFitter fitter;
  const GpModel model =
      fitted({gp_input(0), gp_input(0)}, data.subset(), fitter);
  const auto remains = fitter.remains(model, data.subset());
  EXPECT_EQ(remains.basis.size(), 2u);
  EXPECT_EQ(remains.columns.size(), 2u);
}

TEST(GpFitRemains, ValuesMatchReferenceForAnyNumberOfRows) {
  const std::vector<GpTree> trees = {
      gp_apply(Op::Mul, gp_apply(Op::Sin, gp_input(0)), gp_constant(3)),
      gp_apply(Op::Div, gp_input(0), gp_input(1)), gp_input(1)};
  for (const std::size_t rows : {1, 3, 7, 8, 9, 255, 256, 257, 600}) {
    const auto problem = product_wave(rows);
    const GpData data(problem, GpLink::Identity, {.subset_rows = 1000}, Rng(1));
    GpFitter fitter;
    for (const GpTree& tree : trees) {
      std::vector<double> values(rows);
      fitter.values(tree, data.subset(), values.data());
      for (std::size_t i = 0; i < rows; ++i) {
        const double expected = toy_value(tree, make_row(problem, i));
        ASSERT_NEAR(values[i], expected, 1e-12 * (1 + std::fabs(expected)));
      }
    }
  }
}

// The tree's value if the value of the node is changed by `by`.
double moved(const GpTree& tree, std::size_t node, double by, const Row& row) {
  const double value = toy_value(subtree(tree, node), row) + by;
  return toy_value(replaced(tree, node, gp_constant(value)), row);
}

TEST(GpFitRemains, AdjointMatchesFiniteDifferences) {
  const auto problem = product_wave(12);
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  GpFitter fitter;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 4, 2);
    const std::size_t node = rng.below(tree.size());
    std::vector<double> slope(12);
    std::vector<double> values(12);
    fitter.adjoint(tree, node, data.subset(), slope.data(), values.data());
    for (std::size_t i = 0; i < 12; i += 5) {
      const Row row = make_row(problem, i);
      constexpr double kStep = 1e-5;
      const double here = moved(tree, node, 0, row);
      const double up = (moved(tree, node, kStep, row) - here) / kStep;
      const double down = (here - moved(tree, node, -kStep, row)) / kStep;
      const double size = std::max({1.0, std::fabs(up), std::fabs(here)});
      // Skips kinks and poles, where differences say nothing.
      if (!std::isfinite(slope[i])) continue;
      if (!(std::fabs(up - down) < 1e-3 * size) || size > 1e4) continue;
      ++compared;
      EXPECT_NEAR(slope[i], (up + down) / 2, 2e-3 * size) << "seed " << seed;
      const double value = toy_value(subtree(tree, node), row);
      if (!std::isfinite(value)) continue;
      EXPECT_NEAR(values[i], value, 1e-6 * (1 + std::fabs(value)))
          << "seed " << seed;
    }
  }
  EXPECT_GT(compared, 400);
}

}  // namespace
}  // namespace lamarck::gp
