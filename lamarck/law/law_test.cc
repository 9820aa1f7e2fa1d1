#include "lamarck/law/law.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::law {
namespace {

using gp::toy_problem;
using Row = std::vector<double>;

// `extrapolated` 0 means that extrapolation was not tested.
Law make_law(std::size_t size, double nmse, double extrapolated = 0,
             std::size_t params = 1) {
  Law law;
  law.size = size;
  law.nmse = nmse;
  law.extrapolated = extrapolated;
  law.params.assign(params, 1.0);
  return law;
}

std::vector<std::size_t> sizes_of(const std::vector<Law>& laws) {
  std::vector<std::size_t> sizes;
  for (const Law& law : laws) sizes.push_back(law.size);
  return sizes;
}

std::size_t chosen_size(const std::vector<Law>& laws, std::size_t rows = 200) {
  LawFront front;
  for (const Law& law : laws) front.insert(law);
  const auto problem =
      toy_problem({.rows = rows}, [](const Row& r) { return r[0]; });
  return front.laws()[chosen_law(front.laws(), problem)].size;
}

TEST(LawFront, KeepsNoLawThatIsLargerAndWorse) {
  LawFront front;
  EXPECT_TRUE(front.insert(make_law(5, 0.1)));
  EXPECT_FALSE(front.insert(make_law(5, 0.1)));
  EXPECT_FALSE(front.insert(make_law(6, 0.2)));
  EXPECT_TRUE(front.insert(make_law(9, 0.01)));
  EXPECT_TRUE(front.insert(make_law(2, 0.9)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{2, 5, 9}));
  EXPECT_TRUE(front.insert(make_law(4, 0.01)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{2, 4}));
}

TEST(LawFront, RejectsErrorsThatAreNotFinite) {
  LawFront front;
  EXPECT_FALSE(front.insert(make_law(1, INFINITY)));
  EXPECT_TRUE(front.laws().empty());
}

TEST(LawFront, TreatsRoundingErrorsAsEqual) {
  LawFront front;
  EXPECT_TRUE(front.insert(make_law(5, 1e-30)));
  EXPECT_FALSE(front.insert(make_law(9, 1e-32)));
  EXPECT_TRUE(front.insert(make_law(4, 9e-29)));
  EXPECT_TRUE(front.insert(make_law(3, 0)));
  EXPECT_EQ(sizes_of(front.laws()), std::vector<std::size_t>{3});
}

TEST(LawFront, DoesNotTrustSmallErrorWithoutExtrapolation) {
  LawFront front;
  EXPECT_TRUE(front.insert(make_law(20, 1e-25, 1e-25)));
  EXPECT_FALSE(front.insert(make_law(30, 1e-27, 1e-8)));
  EXPECT_TRUE(front.insert(make_law(10, 1e-27, 1e-8)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{10, 20}));
}

TEST(LawNmse, IsErrorDividedByVariance) {
  const auto problem =
      toy_problem({.rows = 33}, [](const Row& r) { return 2 * r[0] + 1; });
  const auto body = formula::parse_infix("a*x0 + b", {"x0"}).value().body;
  EXPECT_EQ(law_nmse(body, {2, 1}, problem), 0);
  double mean = 0;
  for (const double y : problem.target) mean += y / 33;
  EXPECT_NEAR(law_nmse(body, {0, mean}, problem), 1, 1e-12);
  EXPECT_TRUE(std::isinf(law_nmse(body, {NAN, 1}, problem)));
}

TEST(LawNmse, IsInfiniteForConstantTargetUnlessExact) {
  const auto problem = toy_problem({}, [](const Row&) { return 4.0; });
  const auto body = formula::parse_infix("a + 0*x0", {"x0"}).value().body;
  EXPECT_EQ(law_nmse(body, {4}, problem), 0);
  EXPECT_TRUE(std::isinf(law_nmse(body, {5}, problem)));
}

TEST(LawChoice, PrefersExactSmallLaw) {
  EXPECT_EQ(chosen_size({make_law(1, 1), make_law(7, 1e-3), make_law(12, 1e-29),
                         make_law(30, 1e-31)}),
            12u);
  EXPECT_EQ(
      chosen_size({make_law(12, 1e-29, 1e-29), make_law(40, 1e-30, 1e-9)}),
      12u);
}

TEST(LawChoice, PrefersExtrapolatingLawOverShorterApproximation) {
  EXPECT_EQ(
      chosen_size({make_law(15, 1e-15, 1e-6), make_law(20, 1e-29, 1e-28)}),
      20u);
}

TEST(LawChoice, PrefersShortLawForNoisyData) {
  EXPECT_EQ(chosen_size({make_law(1, 1), make_law(7, 0.0101),
                         make_law(15, 0.0100), make_law(40, 0.0095, 0, 9)}),
            7u);
}

TEST(LawChoice, NeedsThreeRowsForEachOfThreeConstants) {
  const Law kepler = make_law(5, 3.6e-7, 0, 2);
  const Law bent = make_law(15, 1.1e-12, 0, 3);
  EXPECT_EQ(chosen_size({kepler, bent}, 8), 5u);
  EXPECT_EQ(chosen_size({kepler, bent}, 9), 15u);
  EXPECT_EQ(chosen_size({kepler, make_law(15, 1e-31, 0, 3)}, 8), 15u);
}

TEST(LawChoice, ReturnsOnlyLaw) {
  EXPECT_EQ(chosen_size({make_law(3, 0.7)}), 3u);
  EXPECT_EQ(chosen_size({make_law(3, 0.7, INFINITY)}), 3u);
}

}  // namespace
}  // namespace lamarck::law
