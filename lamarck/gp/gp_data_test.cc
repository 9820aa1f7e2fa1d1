#include "lamarck/gp/gp_data.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using Row = std::vector<double>;

RegressionProblem positive_problem(std::size_t rows, double sign = 1) {
  return toy_problem({.rows = rows, .inputs = 2},
                     [sign](const Row& r) { return sign * r[0] * r[1]; });
}

RegressionProblem make_problem(std::vector<double> x, std::vector<double> y) {
  RegressionProblem problem;
  problem.input_names = {"x"};
  problem.target_name = "y";
  problem.inputs = {std::move(x)};
  problem.target = std::move(y);
  return problem;
}

TEST(GpData, UnlinkedInvertsEveryLink) {
  for (const double sign : {1.0, -1.0}) {
    const auto problem = positive_problem(50, sign);
    for (const GpLink link : kGpLinks) {
      const GpData data(problem, link, {}, Rng(1));
      EXPECT_EQ(data.link(), link);
      const GpRows& rows = data.subset();
      ASSERT_EQ(rows.rows, 50u);
      for (std::size_t i = 0; i < rows.rows; ++i) {
        const bool is_plain = rows.weight.data() == nullptr;
        const double z = rows.target[i] / (is_plain ? 1 : rows.weight[i]);
        EXPECT_NEAR(data.unlinked(z), problem.target[i], 1e-12)
            << gp_link_name(link);
      }
    }
  }
}

TEST(GpData, WeightIsDerivativeOfTarget) {
  const auto problem = positive_problem(50);
  for (const GpLink link : kGpLinks) {
    if (link == GpLink::Identity) continue;
    const GpData data(problem, link, {}, Rng(1));
    const GpRows& rows = data.subset();
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double z = rows.target[i] / rows.weight[i];
      const double step = 1e-6 * std::fabs(z);
      const double slope =
          (data.unlinked(z + step) - data.unlinked(z - step)) / (2 * step);
      EXPECT_NEAR(rows.weight[i] / std::fabs(slope), 1, 1e-5)
          << gp_link_name(link);
    }
  }
}

TEST(GpData, LinksNeedTargetOfOneSign) {
  const auto possible = [](std::vector<double> y) {
    const auto problem = make_problem(std::vector<double>(y.size(), 1), y);
    EXPECT_TRUE(GpData::is_possible(problem, GpLink::Identity));
    const bool is_log = GpData::is_possible(problem, GpLink::Log);
    for (const GpLink link : kGpLinks) {
      if (link == GpLink::Identity) continue;
      EXPECT_EQ(GpData::is_possible(problem, link), is_log);
    }
    return is_log;
  };
  EXPECT_TRUE(possible({1, 2, 3}));
  EXPECT_TRUE(possible({-1, -2, -3}));
  EXPECT_FALSE(possible({-1, 2}));
  EXPECT_FALSE(possible({0, 2}));
  EXPECT_FALSE(possible({-2, 0}));
  EXPECT_FALSE(possible({1e-20, 1}));
}

TEST(GpData, EveryLinkHasName) {
  std::set<std::string_view> names;
  for (const GpLink link : kGpLinks) names.insert(gp_link_name(link));
  EXPECT_EQ(names.size(), kGpLinks.size());
  EXPECT_FALSE(names.contains(""));
}

TEST(GpData, PadsColumnsWithFirstRow) {
  for (const std::size_t rows : {1, 5, 8, 13}) {
    std::vector<double> values(rows, 2.0);
    values[0] = 9;
    const GpColumn column(values);
    EXPECT_GE(padded_rows(rows), rows);
    for (std::size_t i = 0; i < padded_rows(rows); ++i) {
      EXPECT_EQ(column[i], i == 0 || i >= rows ? 9 : 2) << rows;
    }
  }
}

TEST(GpData, ProbesLieInsideAndBeyondRows) {
  const auto problem = positive_problem(100);
  const GpData data(problem, GpLink::Identity, {}, Rng(4));
  const auto span = [](const GpRows& rows) {
    const double* first = rows.inputs[0].data();
    const auto [low, high] = std::minmax_element(first, first + rows.rows);
    return std::pair(*low, *high);
  };
  const GpInput& input = data.inputs()[0];
  const auto inside = span(data.probes().inside);
  EXPECT_GE(inside.first, input.low);
  EXPECT_LE(inside.second, input.high);
  const auto beyond = span(data.probes().beyond);
  EXPECT_LT(beyond.first, input.low);
  EXPECT_GT(beyond.second, input.high);
}

TEST(GpData, ProbesKeepSignOfInputs) {
  const auto probe = [](double low, double high) {
    const GpData data(make_problem({low, (low + high) / 2, high}, {1, 2, 4}),
                      GpLink::Identity, {}, Rng(2));
    const GpRows& rows = data.probes().beyond;
    const double* values = rows.inputs[0].data();
    return std::vector<double>(values, values + rows.rows);
  };
  for (const double value : probe(0.01, 5)) EXPECT_GT(value, 0);
  for (const double value : probe(0, 5)) EXPECT_GE(value, 0);
  for (const double value : probe(-5, -0.01)) EXPECT_LT(value, 0);
  const auto both = probe(-1, 5);
  EXPECT_LT(*std::min_element(both.begin(), both.end()), -1);
}

TEST(GpData, SplitsRowsIntoInnerAndOuter) {
  const auto problem = toy_problem({.rows = 100, .low = -1, .high = 1},
                                   [](const Row& r) { return r[0]; });
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  EXPECT_EQ(data.inner().rows, 60u);
  EXPECT_EQ(data.outer().rows, 40u);
  const auto farthest = [](const GpRows& rows, bool wants_least) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      sizes.push_back(std::fabs(rows.inputs[0][i]));
    }
    return wants_least ? *std::min_element(sizes.begin(), sizes.end())
                       : *std::max_element(sizes.begin(), sizes.end());
  };
  EXPECT_GT(farthest(data.outer(), false), 0.9);
  EXPECT_LT(farthest(data.inner(), false), 0.9);
  EXPECT_LT(farthest(data.inner(), true), farthest(data.outer(), true));
}

TEST(GpData, DoesNotSplitFewRows) {
  const auto problem = positive_problem(15);
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  EXPECT_EQ(data.inner().rows, 0u);
  EXPECT_EQ(data.outer().rows, 0u);
}

TEST(GpData, SamplesDistinctRowsOfLargeTable) {
  const auto problem = positive_problem(1000);
  const GpDataOptions options{.subset_rows = 40, .middle_rows = 200};
  const GpData data(problem, GpLink::Identity, options, Rng(1));
  const GpData again(problem, GpLink::Identity, options, Rng(1));
  ASSERT_EQ(data.subset().rows, 40u);
  ASSERT_EQ(data.middle().rows, 200u);
  std::set<double> values;
  for (std::size_t i = 0; i < 40; ++i) {
    values.insert(data.subset().inputs[0][i]);
    EXPECT_EQ(data.subset().target[i], again.subset().target[i]);
  }
  EXPECT_EQ(values.size(), 40u);
}

TEST(GpData, ComputesStatisticsOfInputsAndTarget) {
  const auto problem = make_problem({1, 2, 3, 4, 5}, {2, 2, 2, 2, 7});
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  const GpInput& input = data.inputs().at(0);
  EXPECT_EQ(input.low, 1);
  EXPECT_EQ(input.high, 5);
  EXPECT_EQ(input.mean, 3);
  EXPECT_NEAR(input.deviation, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(input.quantiles.size(), 33u);
  EXPECT_EQ(data.target_mean(), 3);
  EXPECT_EQ(data.target_deviation(), 2);
  EXPECT_GT(data.beyond_bound(), data.inside_bound());
}

TEST(GpData, ExtraFactorBecomesWeight) {
  const auto problem = make_problem({1, 2, 3}, {2, 8, 18});
  const GpData data(problem, {1, 2, 3}, {}, Rng(1));
  EXPECT_EQ(data.subset().target[2], 18);
  EXPECT_EQ(data.subset().weight[2], 3);
}

TEST(GpData, WeightedRowsCountLikeRepeatedOnes) {
  // y is no linear function of x, so the fitted line depends on the weights.
  const auto once = with_weights(make_problem({1, 2, 3, 4}, {2, 3, 7, 5}),
                                 std::vector{1.0, 2.0, 3.0, 2.0});
  const auto repeated =
      make_problem({1, 2, 2, 3, 3, 3, 4, 4}, {2, 3, 3, 7, 7, 7, 5, 5});
  for (const GpLink link : kGpLinks) {
    GpFitter fitter;
    GpModel a;
    a.terms = {gp_input(0)};
    GpModel b = a;
    const GpData weighted(once, link, {}, Rng(1));
    const GpData many(repeated, link, {}, Rng(1));

    ASSERT_TRUE(fitter.fit(a, weighted.subset(), {}));
    ASSERT_TRUE(fitter.fit(b, many.subset(), {}));

    EXPECT_NEAR(a.coefficients[0], b.coefficients[0],
                1e-9 * std::fabs(b.coefficients[0]))
        << gp_link_name(link);
    EXPECT_NEAR(a.nmse, b.nmse, 1e-9) << gp_link_name(link);
  }
}

}  // namespace
}  // namespace lamarck::gp
