#include "lamarck/law/class_link.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/base/rng.h"

namespace lamarck::law {
namespace {

TEST(ClassLink, RecoversTheLinkThatDrewTheLabels) {
  Rng rng(5);
  std::vector<double> values;
  std::vector<bool> labels;
  const ClassLink truth{.slope = 0.02, .offset = -1.5};
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(100 * rng.normal() + 50);
    labels.push_back(rng.chance(truth.probability(values.back())));
  }

  const ClassLink link = fit_class_link(values, labels);

  EXPECT_NEAR(link.slope, 0.02, 0.002);
  EXPECT_NEAR(link.offset, -1.5, 0.1);
}

TEST(ClassLink, StaysFiniteForSeparableLabels) {
  const std::vector<double> values = {-1e6, -2e6, 1e6, 3e6};

  const ClassLink link = fit_class_link(values, {false, false, true, true});

  EXPECT_TRUE(std::isfinite(link.slope));
  EXPECT_GT(link.probability(2e6), 0.7);
  EXPECT_LT(link.probability(-2e6), 0.3);
}

TEST(ClassLink, GivesTheShareIfValuesTellNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<bool> labels = {true, false, false, false, true, false};

  const ClassLink equal = fit_class_link(std::vector<double>(6, 7.0), labels);
  const ClassLink none = fit_class_link(std::vector<double>(6, nan), labels);

  EXPECT_NEAR(equal.probability(7), 0.36, 0.05);
  EXPECT_NEAR(none.probability(0), 0.36, 0.05);
}

TEST(ClassLink, WeightedRowsCountLikeRepeatedOnes) {
  const ClassLink weighted =
      fit_class_link(std::vector{1.0, 2.0, 3.0}, {false, true, true},
                     std::vector{2.0, 1.0, 3.0});
  const ClassLink repeated =
      fit_class_link(std::vector{1.0, 1.0, 2.0, 3.0, 3.0, 3.0},
                     {false, false, true, true, true, true});

  EXPECT_NEAR(weighted.probability(1.5), repeated.probability(1.5), 1e-6);
  EXPECT_NEAR(weighted.probability(3), repeated.probability(3), 1e-6);
}

}  // namespace
}  // namespace lamarck::law
