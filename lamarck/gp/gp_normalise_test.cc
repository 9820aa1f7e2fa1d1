#include "lamarck/gp/gp_normalise.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/internal/gp_tree_fixture.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

GpTree times(const GpTree& tree, double k) {
  return gp_apply(Op::Mul, tree, c(k));
}

std::vector<GpTree> normalised(std::vector<GpTree> terms) {
  GpModel model;
  model.terms = std::move(terms);
  normalize(model);
  EXPECT_EQ(model.coefficients.size(), model.terms.size());
  return model.terms;
}

using Terms = std::vector<GpTree>;

TEST(GpNormalize, SplitsSumsIntoTerms) {
  const GpTree sum = gp_apply(Op::Sub, gp_apply(Op::Add, x(), x(1)),
                              times(gp_apply(Op::Sin, x()), 3));
  EXPECT_EQ(normalised({sum}), (Terms{x(), x(1), gp_apply(Op::Sin, x())}));
}

TEST(GpNormalize, RemovesConstantFactorsAndSummands) {
  EXPECT_EQ(normalised({times(x(), 5)}), Terms{x()});
  EXPECT_EQ(normalised({gp_apply(Op::Neg, x())}), Terms{x()});
  EXPECT_EQ(normalised({gp_apply(Op::Add, x(), c(3))}), Terms{x()});
  EXPECT_EQ(normalised({c(3)}), Terms{});
  EXPECT_EQ(normalised({gp_apply(Op::Square, times(x(), -2))}),
            Terms{gp_apply(Op::Square, x())});
  EXPECT_EQ(normalised({gp_apply(Op::Sqrt, times(x(), 2))}),
            Terms{gp_apply(Op::Sqrt, x())});
}

TEST(GpNormalize, KeepsSignUnderSquareRoot) {
  const GpTree root = gp_apply(Op::Sqrt, times(x(), -2));
  EXPECT_EQ(normalised({root}), Terms{root});
}

TEST(GpNormalize, DropsRepeatedTerms) {
  const GpTree wave = gp_apply(Op::Sin, times(x(), 2));
  EXPECT_EQ(normalised({x(), wave, times(x(), 2), wave}), (Terms{x(), wave}));
}

TEST(GpNormalize, DoesNotIncreaseError) {
  const auto problem = toy_problem({.rows = 30, .inputs = 2}, [](const Row& r) {
    return std::sin(r[0]) / r[1] + 0.2 * r[0] * r[1];
  });
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  GpFitter fitter;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    GpModel model;
    model.terms = {toy_tree(rng, 4, 2), toy_tree(rng, 3, 2)};
    if (!fitter.fit(model, data.subset(), {.steps = 0})) continue;
    GpModel other = model;
    normalize(other);
    for (const GpTree& term : other.terms) {
      ASSERT_TRUE(is_valid_tree(term)) << "seed " << seed;
      ASSERT_TRUE(has_input(term)) << "seed " << seed;
    }
    ASSERT_TRUE(fitter.fit(other, data.subset(), {.steps = 0}))
        << "seed " << seed;
    EXPECT_LE(other.nmse, model.nmse * (1 + 1e-6)) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(GpNormalize, DoesNotGrowModelsOnRepetition) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    GpModel model;
    model.terms = {toy_tree(rng, 3, 2)};
    normalize(model);
    const std::size_t before = model.size();
    normalize(model);
    EXPECT_LE(model.size(), before) << "seed " << seed;
  }
}

TEST(GpNormalize, ConvertsModelToOneTree) {
  GpModel model;
  EXPECT_EQ(make_gp_tree(model), c(0));
  model.terms = {gp_apply(Op::Sin, x()), x(1)};
  model.coefficients = {2, -3};
  model.intercept = 0.5;
  const double expected = 2 * std::sin(1.1) - 3 * 0.7 + 0.5;
  EXPECT_NEAR(toy_value(make_gp_tree(model), {1.1, 0.7}), expected, 1e-14);
  model.has_intercept = false;
  EXPECT_NEAR(toy_value(make_gp_tree(model), {1.1, 0.7}), expected - 0.5,
              1e-14);
}

TEST(GpNormalize, AllowsModelsWithinLimits) {
  GpModel model;
  EXPECT_FALSE(is_allowed(model, {}));
  model.terms = {gp_apply(Op::Sin, gp_apply(Op::Exp, x())), x(1)};
  EXPECT_TRUE(is_allowed(model, {}));
  EXPECT_FALSE(is_allowed(model, {.max_terms = 1}));
  EXPECT_FALSE(is_allowed(model, {.max_nodes = 10}));
  EXPECT_TRUE(is_allowed(model, {.max_nodes = 11}));
  EXPECT_FALSE(is_allowed(model, {.max_nesting = 1}));
  model.terms.push_back(gp_apply(Op::Mul, x(), c(INFINITY)));
  EXPECT_FALSE(is_allowed(model, {}));
}

// A model that fits z exactly fits y exactly once the link is undone.
TEST(GpNormalize, UndoesEveryLink) {
  const auto line = [](const Row& r) { return 1.5 + 2 * r[0] + 0.5 * r[1]; };
  for (const GpLink link : kGpLinks) {
    const auto problem =
        toy_problem({.rows = 40, .inputs = 2}, [&](const Row& r) {
          const double z = line(r);
          switch (link) {
            case GpLink::Log:
              return -std::exp(0.1 * z);
            case GpLink::Inverse:
              return -1 / z;
            case GpLink::Square:
              return -std::sqrt(z);
            case GpLink::Root:
              return -z * z;
            case GpLink::InverseSquare:
              return -1 / std::sqrt(z);
            case GpLink::InverseRoot:
              return -1 / (z * z);
            default:
              return z;
          }
        });
    const GpData data(problem, link, {}, Rng(1));
    const GpData plain(problem, GpLink::Identity, {}, Rng(1));
    GpFitter fitter;
    GpModel native;
    native.terms = {x(), x(1)};
    ASSERT_TRUE(fitter.fit(native, data.subset(), {}));
    ASSERT_LT(native.nmse, 1e-20) << gp_link_name(link);
    GpModel model = unlinked(native, data, true);
    ASSERT_TRUE(fitter.fit(model, plain.subset(), {.steps = 0}));
    EXPECT_LT(model.nmse, 1e-20) << gp_link_name(link);
  }
}

TEST(GpNormalize, SnapsExponentsIfRequested) {
  const auto problem =
      toy_problem({}, [](const Row& r) { return std::pow(r[0], 2.01) / r[0]; });
  const GpData data(problem, GpLink::Log, {}, Rng(1));
  for (const double power : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, -2.0, -0.5}) {
    GpModel model;
    model.terms = {gp_apply(Op::Log, x())};
    model.coefficients = {power * 1.01};
    const GpModel snapped = unlinked(model, data, true);
    const GpModel exact = unlinked(model, data, false);
    ASSERT_EQ(snapped.terms.size(), 1u);
    EXPECT_NEAR(toy_value(snapped.terms[0], {1.7}), std::pow(1.7, power), 1e-12)
        << power;
    EXPECT_EQ(constant_count(snapped.terms[0]), 0u) << power;
    EXPECT_NEAR(toy_value(exact.terms[0], {1.7}), std::pow(1.7, 1.01 * power),
                1e-12)
        << power;
  }
}

}  // namespace
}  // namespace lamarck::gp
