#include "lamarck/formula/fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

// Lets tests write expressions with operators.
struct FitTerm {
  ExpressionBuilder* builder;
  NodeIndex node;

  FitTerm with(Op op, FitTerm b) const {
    return {builder, builder->apply(op, node, b.node)};
  }
  FitTerm with(Op op) const { return {builder, builder->apply(op, node)}; }
  FitTerm constant(double x) const { return {builder, builder->constant(x)}; }
};
FitTerm operator+(FitTerm a, FitTerm b) { return a.with(Op::Add, b); }
FitTerm operator-(FitTerm a, FitTerm b) { return a.with(Op::Sub, b); }
FitTerm operator*(FitTerm a, FitTerm b) { return a.with(Op::Mul, b); }
FitTerm operator/(FitTerm a, FitTerm b) { return a.with(Op::Div, b); }
FitTerm operator-(FitTerm a) { return a.with(Op::Neg); }
FitTerm operator+(double a, FitTerm b) { return b.constant(a) + b; }
FitTerm operator-(FitTerm a, double b) { return a - a.constant(b); }
FitTerm pow(FitTerm a, FitTerm b) { return a.with(Op::Pow, b); }
FitTerm pow(FitTerm a, double b) { return pow(a, a.constant(b)); }
FitTerm exp(FitTerm a) { return a.with(Op::Exp); }
FitTerm log(FitTerm a) { return a.with(Op::Log); }
FitTerm sin(FitTerm a) { return a.with(Op::Sin); }
FitTerm cos(FitTerm a) { return a.with(Op::Cos); }
FitTerm tanh(FitTerm a) { return a.with(Op::Tanh); }
FitTerm square(FitTerm a) { return a.with(Op::Square); }

using Terms = std::vector<FitTerm>;

Expression written(
    const std::function<FitTerm(FitTerm, FitTerm, Terms&)>& write,
    std::size_t params) {
  ExpressionBuilder builder;
  Terms p;
  for (std::uint32_t i = 0; i < params; ++i) {
    p.push_back({&builder, builder.param(i)});
  }
  const FitTerm x{&builder, builder.input(0)}, v{&builder, builder.input(1)};
  return builder.finish(write(x, v, p).node);
}

struct FitData {
  FitData(const Expression& expression, const std::vector<double>& params,
          double low, double high, std::size_t rows, std::uint64_t seed = 99) {
    Rng rng(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(rng.uniform(low, high));
      v.push_back(rng.uniform(-2, 2));
      y.push_back(evaluate_row(expression, {{x[i], v[i]}}, params));
    }
  }
  Columns columns() const { return {inputs, x.size()}; }

  std::vector<double> x, v, y;
  std::vector<const double*> inputs = {};
  void point() { inputs = {x.data(), v.data()}; }
};

struct Form {
  std::string name;
  std::function<FitTerm(FitTerm, FitTerm, Terms&)> write;
  std::vector<double> params;
  double low = 0.1;
  double high = 5;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

Form oscillator() {
  return {"Oscillator",
          [](FitTerm x, FitTerm v, Terms& p) {
            return p[0] * sin(p[1] * x) + p[2] * pow(v, 3) + p[3] * pow(x, 3) +
                   p[4] * x * v + p[5] * x * cos(p[6] * x) +
                   p[7] * v * exp(p[8] * x) + p[9];
          },
          {0.8, 1.3, -0.5, -0.2, -0.5, 0.9, 2.1, 0.4, -0.7, 0.1},
          -2,
          2};
}

std::vector<Form> forms() {
  return {
      {"Line",
       [](FitTerm x, FitTerm, Terms& p) { return p[0] * x + p[1]; },
       {3, -7}},
      {"PowerLaw",
       [](FitTerm x, FitTerm, Terms& p) { return p[0] * pow(x, p[1]); },
       {2.5, 1.7}},
      {"MichaelisMenten",
       [](FitTerm x, FitTerm, Terms& p) { return p[0] * x / (p[1] + x); },
       {4, 0.8}},
      {"GaussianBump",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * exp(-square((x - p[1]) / p[2])) + p[3];
       },
       {3, 3.4, 0.5, 1},
       0.1,
       10},
      {"TanhShift",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * tanh(p[1] * (x - p[2])) + p[3];
       },
       {2, 0.15, 280, -1},
       250,
       320},
      {"SineFrequency",
       [](FitTerm x, FitTerm, Terms& p) { return p[0] * sin(p[1] * x + p[2]); },
       {1.5, 7.3, 0.4}},
      {"Planck",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * pow(x, 3) / (exp(p[1] * x) - 1);
       },
       {2.2, 1.4}},
      {"ExponentialDecay",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * exp(-p[1] * x) + p[2];
       },
       {5, 0.9, 2}},
      {"Logistic",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] / (1 + exp(-p[1] * (x - p[2])));
       },
       {10, 2.5, 2}},
      {"DampedWave",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * exp(-p[1] * x) * cos(p[2] * x + p[3]);
       },
       {2, 0.3, 5, 1}},
      {"Hill",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * pow(x, p[1]) / (pow(p[2], p[1]) + pow(x, p[1]));
       },
       {3, 2.4, 1.8}},
      {"LogarithmWithShift",
       [](FitTerm x, FitTerm, Terms& p) { return p[0] * log(x - p[1]) + p[2]; },
       {2, 1.5, 0.3},
       1.6,
       9},
      {"TwoDecays",
       [](FitTerm x, FitTerm, Terms& p) {
         return p[0] * exp(-p[1] * x) + p[2] * exp(-p[3] * x);
       },
       {4, 0.4, 3, 3}},
      oscillator(),
  };
}

class FitForms : public testing::TestWithParam<Form> {};

INSTANTIATE_TEST_SUITE_P(Forms, FitForms, testing::ValuesIn(forms()),
                         [](const auto& entry) { return entry.param.name; });

TEST_P(FitForms, RecoversConstantsFromData) {
  const Form& form = GetParam();
  const Expression expression = written(form.write, form.params.size());
  FitData data(expression, form.params, form.low, form.high, 600);
  data.point();
  ExpressionPlan plan(expression);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed);
    const Fit found = fit(plan, data.columns(), data.y, {}, {}, rng);
    EXPECT_LT(found.nmse, 1e-28) << "seed " << seed;
  }
}

// An expression, its data and a plan.
struct Problem {
  Problem(const std::function<FitTerm(FitTerm, FitTerm, Terms&)>& write,
          const std::vector<double>& params, std::size_t rows, double low = 0.1,
          double high = 5)
      : expression(written(write, params.size())),
        data(expression, params, low, high, rows),
        plan(expression) {
    data.point();
  }
  Fit fitted(const std::vector<double>& first, const FitOptions& options = {},
             const CancelToken& cancel = {}) {
    Rng rng(1);
    return fit(plan, data.columns(), data.y, first, options, rng, cancel);
  }

  Expression expression;
  FitData data;
  ExpressionPlan plan;
};

FitTerm line(FitTerm x, FitTerm, Terms& p) { return p[0] * x + p[1]; }

TEST(Fit, FitsNoisyData) {
  Problem problem(line, {3, -7}, 5000);
  Rng rng(5);
  for (double& y : problem.data.y) y += rng.normal(0, 0.1);
  const Fit found = problem.fitted({});
  EXPECT_NEAR(found.params[0], 3, 0.01);
  EXPECT_NEAR(found.params[1], -7, 0.02);
  EXPECT_NEAR(found.nmse, 0.01 / (9 * 4.9 * 4.9 / 12), 1e-4);
}

TEST(Fit, IsDeterministicForSeed) {
  Problem problem(oscillator().write, oscillator().params, 1000, -2, 2);
  const Fit one = problem.fitted({}, {.starts = 3});
  const Fit two = problem.fitted({}, {.starts = 3});
  EXPECT_EQ(one.params, two.params);
  EXPECT_EQ(one.nmse, two.nmse);
  EXPECT_EQ(one.evaluations, two.evaluations);
}

TEST(Fit, IsNeverWorseThanGivenStart) {
  Problem problem(oscillator().write, oscillator().params, 1000, -2, 2);
  const Fit found =
      problem.fitted(oscillator().params, {.iterations = 0, .starts = 1});
  EXPECT_LT(found.nmse, 1e-30);
  EXPECT_EQ(found.params, oscillator().params);
}

TEST(Fit, DrawsParamsThatAreNotGiven) {
  Problem problem(line, {3, -7}, 100);
  const Fit found = problem.fitted({3});
  ASSERT_EQ(found.params.size(), 2u);
  EXPECT_NEAR(found.params[1], -7, 1e-12);
}

TEST(Fit, StopsStartingWhenGoodEnough) {
  Problem problem(oscillator().write, oscillator().params, 400, -2, 2);
  const Fit all = problem.fitted({}, {.good_enough = 0});
  const Fit few = problem.fitted({}, {.iterations = 5, .good_enough = 0.5});
  EXPECT_LT(few.evaluations, all.evaluations);
  EXPECT_LT(few.nmse, 0.5);
}

TEST(Fit, KeepsUnusedParams) {
  Problem problem(
      [](FitTerm x, FitTerm, Terms& p) { return p[2] * exp(p[0] * x); },
      {-0.5, 0, 2}, 100);
  const Fit found = problem.fitted({-0.1, 77, 1});
  EXPECT_LT(found.nmse, 1e-28);
  EXPECT_EQ(found.params[1], 77);
}

TEST(Fit, HandlesRedundantParams) {
  Problem problem([](FitTerm x, FitTerm,
                     Terms& p) { return p[0] * p[1] * x + sin(p[2] * x); },
                  {2, 3, 0.5}, 100);
  const Fit found = problem.fitted({});
  EXPECT_LT(found.nmse, 1e-28);
  EXPECT_NEAR(found.params[0] * found.params[1], 6, 1e-9);
}

TEST(Fit, AvoidsUndefinedRegions) {
  Problem problem(
      [](FitTerm x, FitTerm, Terms& p) { return p[1] * log(x - p[0]); },
      {0.9, 2}, 200, 1, 5);
  EXPECT_LT(problem.fitted({-3, 1}, {.starts = 1}).nmse, 1e-28);
  // This start is undefined for some rows, so other starts must replace it.
  EXPECT_LT(problem.fitted({2, 1}).nmse, 1e-28);
}

TEST(Fit, ReportsWhenNoFiniteFitExists) {
  Problem problem([](FitTerm x, FitTerm, Terms& p) { return log(-x) * p[0]; },
                  {1}, 50);
  std::ranges::fill(problem.data.y, 1.0);
  const Fit found = problem.fitted({});
  EXPECT_FALSE(found.is_finite());
  EXPECT_EQ(found.params.size(), 1u);
}

TEST(Fit, NormalizesConstantTargetByItsSquare) {
  Problem problem(line, {0, 0.1}, 64);
  EXPECT_LT(problem.fitted({}).nmse, 1e-28);

  ExpressionBuilder builder;
  ExpressionPlan two(builder.finish(builder.constant(2)));
  Rng rng(1);
  const std::vector<double> ones(64, 1.0), zeros(64, 0.0);
  const Columns columns = problem.data.columns();
  EXPECT_DOUBLE_EQ(fit(two, columns, ones, {}, {}, rng).nmse, 1);
  EXPECT_DOUBLE_EQ(fit(two, columns, zeros, {}, {}, rng).nmse, 4);
}

TEST(Fit, AcceptsOneRowOrNone) {
  Problem one(line, {3, -7}, 1);
  EXPECT_LT(one.fitted({}).nmse, 1e-28);
  Problem none(line, {3, -7}, 0);
  EXPECT_FALSE(none.fitted({1, 2}).is_finite());
  EXPECT_EQ(none.fitted({1, 2}).params, (std::vector<double>{1, 2}));
}

TEST(Fit, AcceptsFewerRowsThanParams) {
  Problem problem(oscillator().write, oscillator().params, 4, -2, 2);
  EXPECT_LT(problem.fitted({}).nmse, 1e-20);
}

TEST(Fit, StopsWhenCancelled) {
  Problem problem(oscillator().write, oscillator().params, 1000, -2, 2);
  CancelSource source;
  source.cancel("enough");
  const std::vector<double> ones(10, 1.0);
  const Fit found = problem.fitted(ones, {}, source.token());
  EXPECT_EQ(found.params, ones);
  EXPECT_TRUE(found.is_finite());
}

TEST(Fit, RejectsMissingTargets) {
  Problem problem(line, {3, -7}, 10);
  problem.data.y.pop_back();
  EXPECT_THROW(problem.fitted({}), LogicError);
}

TEST(DataAwareStart, MatchesScaleOfInputs) {
  const Expression expression = written(
      [](FitTerm x, FitTerm, Terms& p) { return tanh(p[0] * (x - p[1])); }, 2);
  FitData data(expression, {1, 300}, 250, 320, 100);
  data.point();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const auto start = data_aware_start(expression, data.columns(), rng);
    ASSERT_EQ(start.size(), 2u);
    EXPECT_GE(start[1], 250) << "seed " << seed;
    EXPECT_LE(start[1], 320) << "seed " << seed;
    EXPECT_GT(std::abs(start[0]), 0.1 / 70) << "seed " << seed;
    EXPECT_LT(std::abs(start[0]), 30.0 / 15) << "seed " << seed;
  }
}

TEST(Fit, WeightedRowsCountLikeRepeatedOnes) {
  const Expression curve = written(
      [](FitTerm x, FitTerm, Terms& p) { return p[0] * exp(p[1] * x); }, 2);
  std::vector<double> x, y, weights, many_x, many_y;
  Rng noise(4);
  for (std::size_t i = 0; i < 30; ++i) {
    x.push_back(0.1 * static_cast<double>(i));
    y.push_back(2 * std::exp(-0.7 * x[i]) + 0.2 * noise.normal());
    weights.push_back(static_cast<double>(1 + i % 3 * 4));
    for (double k = 0; k < weights[i]; ++k) {
      many_x.push_back(x[i]);
      many_y.push_back(y[i]);
    }
  }
  const auto fitted = [&](const std::vector<double>& xs,
                          const std::vector<double>& ys,
                          std::span<const double> shares) {
    ExpressionPlan plan(curve);
    const std::vector<const double*> inputs = {xs.data(), xs.data()};
    Rng rng(1);
    return fit(plan, {.inputs = inputs, .rows = xs.size()}, ys, {},
               {.weights = shares}, rng);
  };

  const Fit weighted = fitted(x, y, weights);
  const Fit repeated = fitted(many_x, many_y, {});
  const Fit plain = fitted(x, y, {});

  EXPECT_NEAR(weighted.params[0], repeated.params[0], 1e-5);
  EXPECT_NEAR(weighted.params[1], repeated.params[1], 1e-5);
  EXPECT_NEAR(weighted.nmse, repeated.nmse, 1e-8);
  EXPECT_GT(std::abs(weighted.params[0] - plain.params[0]), 1e-3);
}

}  // namespace
}  // namespace lamarck::formula
