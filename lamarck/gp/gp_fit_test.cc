#include "lamarck/gp/gp_fit.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/internal/gp_tree_fixture.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

GpTree scaled(double k) { return gp_apply(Op::Mul, x(), c(k)); }

GpModel make_model(std::vector<GpTree> terms, bool has_intercept = true) {
  GpModel model;
  model.terms = std::move(terms);
  model.has_intercept = has_intercept;
  return model;
}

GpData plain_data(const RegressionProblem& problem) {
  return GpData(problem, GpLink::Identity, {}, Rng(1));
}

struct Form {
  std::string name;
  std::function<double(const Row&)> law;
  GpModel start;
};

std::vector<Form> forms() {
  return {
      {"decay", [](const Row& r) { return 2 * std::exp(-1.3 * r[0]) + 4; },
       make_model({gp_apply(Op::Exp, scaled(-1))})},
      {"wave", [](const Row& r) { return 3 * std::sin(2 * r[0] + 0.4); },
       make_model({gp_apply(Op::Sin, gp_apply(Op::Add, scaled(1.8), c(0.2)))})},
      {"saturation", [](const Row& r) { return 5 * r[0] / (r[0] + 0.7); },
       make_model({gp_apply(Op::Div, x(), gp_apply(Op::Add, x(), c(2)))})},
      {"power", [](const Row& r) { return 0.2 * std::pow(r[0], 2.7) - 1; },
       make_model({gp_apply(Op::Pow, x(), c(1.5))})},
      {"step", [](const Row& r) { return std::tanh(2.5 * (r[0] - 1.6)); },
       make_model({gp_apply(Op::Tanh, gp_apply(Op::Add, scaled(2), c(-3)))})},
      {"two terms",
       [](const Row& r) { return std::exp(0.8 * r[0]) - std::sin(3 * r[0]); },
       make_model(
           {gp_apply(Op::Exp, scaled(1)), gp_apply(Op::Sin, scaled(2.8))},
           false)},
  };
}

TEST(GpFit, FindsConstantsOfManyForms) {
  for (const Form& form : forms()) {
    const auto problem = toy_problem({.rows = 50}, form.law);
    const GpData data = plain_data(problem);
    GpModel model = form.start;
    GpFitter fitter;
    ASSERT_TRUE(fitter.fit(model, data.subset(), {.steps = 50})) << form.name;
    EXPECT_LT(model.nmse, 1e-20) << form.name;
    std::vector<double> values;
    fitter.values(model, data.subset(), values);
    EXPECT_NEAR(values[7], problem.target[7], 1e-8) << form.name;
  }
}

TEST(GpFit, SolvesCoefficientsWithoutSteps) {
  const auto problem = toy_problem({.rows = 20, .inputs = 2}, [](const Row& r) {
    return 2 * r[0] * r[0] - 3 * r[1] + 7;
  });
  const GpData data = plain_data(problem);
  GpModel model = make_model({gp_apply(Op::Square, x()), x(1)});
  GpFitter fitter;
  ASSERT_TRUE(fitter.fit(model, data.subset(), {.steps = 0}));
  EXPECT_NEAR(model.coefficients.at(0), 2, 1e-12);
  EXPECT_NEAR(model.coefficients.at(1), -3, 1e-12);
  EXPECT_NEAR(model.intercept, 7, 1e-11);
  EXPECT_EQ(fitter.fits(), 1u);
}

TEST(GpFit, WeightsRows) {
  const auto problem = toy_problem({.rows = 40}, [](const Row& r) {
    return -3 * r[0] * r[0] * std::exp(-0.5 * r[0]);
  });
  const GpData data(problem, GpLink::Log, {}, Rng(1));
  GpModel model = make_model({gp_apply(Op::Log, x()), x()});
  GpFitter fitter;
  ASSERT_TRUE(fitter.fit(model, data.subset(), {}));
  EXPECT_LT(model.nmse, 1e-20);
  EXPECT_NEAR(model.coefficients.at(0), 2, 1e-10);
  EXPECT_NEAR(model.coefficients.at(1), -0.5, 1e-10);
  EXPECT_NEAR(model.intercept, std::log(3.0), 1e-10);
}

TEST(GpFit, HandlesDependentTerms) {
  const auto problem = toy_problem(
      {.rows = 30}, [](const Row& r) { return 4 * std::sin(1.5 * r[0]); });
  const GpData data = plain_data(problem);
  const GpTree sine = gp_apply(Op::Sin, scaled(1.4));
  GpModel model = make_model({sine, sine, gp_apply(Op::Mul, sine, c(2))});
  GpFitter fitter;
  ASSERT_TRUE(fitter.fit(model, data.subset(), {.steps = 40}));
  EXPECT_LT(model.nmse, 1e-20);
  for (const double k : model.coefficients) EXPECT_LT(std::fabs(k), 1e6);

  GpModel flat = make_model({c(3), x()});
  ASSERT_TRUE(fitter.fit(flat, data.subset(), {.steps = 5}));
  EXPECT_TRUE(std::isfinite(flat.nmse));
}

TEST(GpFit, FailsIfValueIsNotFinite) {
  const auto problem = toy_problem({}, [](const Row& r) { return r[0]; });
  const GpData data = plain_data(problem);
  GpFitter fitter;
  const GpTree far = gp_apply(Op::Add, x(), c(-1));
  for (const GpTree& term : {gp_apply(Op::Log, far), gp_apply(Op::Sqrt, far),
                             gp_apply(Op::Exp, scaled(1e6)), c(NAN)}) {
    GpModel model = make_model({x(), term});
    EXPECT_FALSE(fitter.fit(model, data.subset(), {}));
    EXPECT_TRUE(std::isinf(model.nmse));
  }
}

TEST(GpFit, NeverIncreasesError) {
  const auto problem = toy_problem({.rows = 40, .inputs = 2}, [](const Row& r) {
    return std::sin(r[0]) * r[1] + 0.3 * r[0];
  });
  const GpData data = plain_data(problem);
  GpFitter fitter;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    GpModel model = make_model({toy_tree(rng, 3, 2), toy_tree(rng, 3, 2)});
    if (!fitter.fit(model, data.subset(), {.steps = 0})) continue;
    const double before = model.nmse;
    ASSERT_TRUE(fitter.fit(model, data.subset(), {})) << "seed " << seed;
    EXPECT_LE(model.nmse, before * (1 + 1e-9) + 1e-25) << "seed " << seed;
    EXPECT_LE(before, 1 + 1e-9) << "seed " << seed;
  }
}

TEST(GpFit, FitsSingleRow) {
  const auto problem =
      toy_problem({.rows = 1}, [](const Row& r) { return 5 * r[0]; });
  const GpData data = plain_data(problem);
  GpFitter fitter;
  GpModel model = make_model({gp_apply(Op::Exp, scaled(1))});
  ASSERT_TRUE(fitter.fit(model, data.subset(), {}));
  std::vector<double> values;
  fitter.values(model, data.subset(), values);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_NEAR(values[0], problem.target[0], 1e-12);
}

TEST(GpFit, FitsInterceptOnly) {
  const auto problem = toy_problem({}, [](const Row& r) { return r[0]; });
  const GpData data = plain_data(problem);
  GpFitter fitter;
  GpModel model = make_model({});
  ASSERT_TRUE(fitter.fit(model, data.subset(), {}));
  EXPECT_NEAR(model.intercept, data.target_mean(), 1e-12);
  EXPECT_NEAR(model.nmse, 1, 1e-12);
}

TEST(GpModel, CountsNodesAndConstants) {
  GpModel model = make_model({gp_apply(Op::Sin, scaled(2)), x()});
  // a * sin(x * 2) + b * x + c
  EXPECT_EQ(model.size(), 12u);
  EXPECT_EQ(model.constants(), 4u);
  EXPECT_EQ(model.nesting(), 1);
  model.has_intercept = false;
  EXPECT_EQ(model.size(), 10u);
  EXPECT_EQ(model.constants(), 3u);
}

}  // namespace
}  // namespace lamarck::gp
