#include "lamarck/optim/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::optim {
namespace {

using Point = std::vector<float>;

double rosenbrock(std::span<const float> at, std::span<float> gradient) {
  double total = 0;
  std::vector<double> slopes(at.size(), 0.0);
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double x = at[i];
    const double off = at[i + 1] - x * x;
    total += 100 * off * off + (1 - x) * (1 - x);
    slopes[i] += -400 * x * off - 2 * (1 - x);
    slopes[i + 1] += 200 * off;
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    gradient[i] = static_cast<float>(slopes[i]);
  }
  return total;
}

// The sum of weight_i (x_i - i)^2 with weights from 1 to `condition`.
LossAndGradient bowl(double condition) {
  return [condition](std::span<const float> at, std::span<float> gradient) {
    double total = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double share =
          static_cast<double>(i) / static_cast<double>(at.size() - 1);
      const double weight = std::pow(condition, share);
      const double off = at[i] - static_cast<double>(i);
      total += weight * off * off;
      gradient[i] = static_cast<float>(2 * weight * off);
    }
    return total;
  };
}

TEST(Lbfgs, MinimizesRosenbrock) {
  for (const std::size_t size : {2, 10}) {
    Point at(size, -1.2f);
    const LbfgsOutcome outcome = minimize_lbfgs(
        rosenbrock, at, {.gradient_tolerance = 1e-3, .loss_tolerance = 0});

    EXPECT_EQ(outcome.reason, LbfgsReason::GradientSmall);
    EXPECT_LT(outcome.evaluations, 150u);
    for (const float x : at) EXPECT_NEAR(x, 1, 2e-3);
  }
}

TEST(Lbfgs, MinimizesIllConditionedQuadratics) {
  for (const double condition : {1.0, 100.0, 1e4}) {
    Point at(20, 50.0f);
    const LbfgsOutcome outcome =
        minimize_lbfgs(bowl(condition), at, {.gradient_tolerance = 1e-2});

    EXPECT_LT(outcome.loss, 1e-4) << condition;
    EXPECT_LT(outcome.evaluations, 600u) << condition;
  }
}

TEST(Lbfgs, FitsLogisticRegression) {
  Rng rng(1);
  std::vector<std::vector<double>> rows;
  std::vector<double> labels;
  for (int i = 0; i < 300; ++i) {
    rows.push_back({rng.normal(), rng.normal(), 1.0});
    const double logit = 2 * rows.back()[0] - rows.back()[1] + 0.5;
    labels.push_back(rng.chance(1 / (1 + std::exp(-logit))) ? 1.0 : 0.0);
  }
  const LossAndGradient loss = [&](std::span<const float> at,
                                   std::span<float> gradient) {
    double total = 0;
    std::vector<double> slopes(3, 0.0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double z = 0;
      for (std::size_t i = 0; i < 3; ++i) z += at[i] * rows[r][i];
      total += std::log1p(std::exp(z)) - labels[r] * z;
      const double off = 1 / (1 + std::exp(-z)) - labels[r];
      for (std::size_t i = 0; i < 3; ++i) slopes[i] += off * rows[r][i];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      gradient[i] = static_cast<float>(slopes[i]);
    }
    return total;
  };
  Point at(3, 0.0f);
  const LbfgsOutcome outcome =
      minimize_lbfgs(loss, at, {.gradient_tolerance = 1e-3});

  EXPECT_LT(outcome.gradient_norm, 1e-2);
  EXPECT_LT(outcome.evaluations, 25u);
  EXPECT_NEAR(at[0], 2, 0.7);
  EXPECT_NEAR(at[1], -1, 0.5);
  EXPECT_NEAR(at[2], 0.5, 0.5);
}

// -log(x) + 1000 x is undefined for x <= 0, where the first long step lands.
double wall(std::span<const float> at, std::span<float> gradient) {
  const double x = at[0];
  if (x <= 0) {
    gradient[0] = std::numeric_limits<float>::quiet_NaN();
    return std::numeric_limits<double>::quiet_NaN();
  }
  gradient[0] = static_cast<float>(1000 - 1 / x);
  return 1000 * x - std::log(x);
}

TEST(Lbfgs, BacksOffFromNonFiniteRegion) {
  Point at = {0.5f};
  const LbfgsOutcome outcome = minimize_lbfgs(wall, at);

  EXPECT_NEAR(at[0], 1e-3, 1e-5);
  EXPECT_NEAR(outcome.loss, 1 + std::log(1000.0), 1e-4);
}

TEST(Lbfgs, LeavesNonFiniteStartUnchanged) {
  Point at = {-1.0f};
  const LbfgsOutcome outcome = minimize_lbfgs(wall, at);

  EXPECT_EQ(outcome.reason, LbfgsReason::StartNotFinite);
  EXPECT_EQ(outcome.evaluations, 1u);
  EXPECT_EQ(at[0], -1.0f);
}

TEST(Lbfgs, RespectsEvaluationLimitAndNeverEndsHigher) {
  for (std::size_t max_evaluations = 1; max_evaluations < 40;
       ++max_evaluations) {
    Point at = {-1.2f, 1.0f, 0.3f};
    Point gradient(3);
    const double start = rosenbrock(at, gradient);
    std::size_t counted = 0;
    const LbfgsOutcome outcome = minimize_lbfgs(
        [&](std::span<const float> x, std::span<float> slope) {
          ++counted;
          return rosenbrock(x, slope);
        },
        at, {.max_evaluations = max_evaluations});

    EXPECT_LE(counted, max_evaluations);
    EXPECT_EQ(outcome.evaluations, counted);
    EXPECT_LE(outcome.loss, start) << max_evaluations;
    EXPECT_EQ(outcome.loss, rosenbrock(at, gradient)) << max_evaluations;
  }
}

TEST(Lbfgs, StopsWhenLossIsFlat) {
  Point at = {3.0f};
  const LbfgsOutcome outcome = minimize_lbfgs(
      [](std::span<const float> x, std::span<float> slope) {
        slope[0] = 1e-9f;
        return 5 + 1e-9 * static_cast<double>(x[0]);
      },
      at, {.gradient_tolerance = 0});

  EXPECT_EQ(outcome.reason, LbfgsReason::LossFlat);
}

TEST(Lbfgs, StopsWhenGradientIsWrong) {
  Point at = {3.0f};
  const LbfgsOutcome outcome = minimize_lbfgs(
      [](std::span<const float> x, std::span<float> slope) {
        slope[0] = -1;
        return static_cast<double>(x[0]);
      },
      at);

  EXPECT_EQ(outcome.reason, LbfgsReason::NoDescent);
  EXPECT_EQ(at[0], 3.0f);
}

TEST(Lbfgs, RejectsOptionsOutOfRange) {
  Point at = {1.0f};
  EXPECT_THROW(minimize_lbfgs(wall, at, {.memory = 0}), LogicError);
  EXPECT_THROW(minimize_lbfgs(wall, at, {.max_evaluations = 0}), LogicError);
  EXPECT_THROW(minimize_lbfgs(wall, at, {.patience = 0}), LogicError);
}

}  // namespace
}  // namespace lamarck::optim
