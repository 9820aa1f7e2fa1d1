#include "lamarck/law/law.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::law {
namespace {

using gp::toy_problem;
using Row = std::vector<double>;

// `foretold` 0 means that it was not tried.
Law law_of(std::size_t size, double nmse, double foretold = 0,
           std::size_t params = 1) {
  Law law;
  law.size = size;
  law.nmse = nmse;
  law.foretold = foretold;
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

TEST(LawFront, HoldsNoLawThatIsLargerAndWorse) {
  LawFront front;
  EXPECT_TRUE(front.insert(law_of(5, 0.1)));
  EXPECT_FALSE(front.insert(law_of(5, 0.1)));
  EXPECT_FALSE(front.insert(law_of(6, 0.2)));
  EXPECT_TRUE(front.insert(law_of(9, 0.01)));
  EXPECT_TRUE(front.insert(law_of(2, 0.9)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{2, 5, 9}));
  EXPECT_TRUE(front.insert(law_of(4, 0.01)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{2, 4}));
}

TEST(LawFront, RefusesErrorsThatAreNotFinite) {
  LawFront front;
  EXPECT_FALSE(front.insert(law_of(1, INFINITY)));
  EXPECT_TRUE(front.laws().empty());
}

TEST(LawFront, TakesAllErrorsOfRoundingForOne) {
  LawFront front;
  EXPECT_TRUE(front.insert(law_of(5, 1e-30)));
  EXPECT_FALSE(front.insert(law_of(9, 1e-32)));
  EXPECT_TRUE(front.insert(law_of(4, 9e-29)));
  EXPECT_TRUE(front.insert(law_of(3, 0)));
  EXPECT_EQ(sizes_of(front.laws()), std::vector<std::size_t>{3});
}

TEST(LawFront, DoesNotTrustAStandInForItsSmallError) {
  LawFront front;
  EXPECT_TRUE(front.insert(law_of(20, 1e-25, 1e-25)));
  EXPECT_FALSE(front.insert(law_of(30, 1e-27, 1e-8)));
  EXPECT_TRUE(front.insert(law_of(10, 1e-27, 1e-8)));
  EXPECT_EQ(sizes_of(front.laws()), (std::vector<std::size_t>{10, 20}));
}

TEST(LawNmse, IsTheErrorInPartsOfTheVariance) {
  const auto problem =
      toy_problem({.rows = 33}, [](const Row& r) { return 2 * r[0] + 1; });
  const auto body = formula::parse_infix("a*x0 + b", {"x0"}).value().body;
  EXPECT_EQ(law_nmse(body, {2, 1}, problem), 0);
  double mean = 0;
  for (const double y : problem.target) mean += y / 33;
  EXPECT_NEAR(law_nmse(body, {0, mean}, problem), 1, 1e-12);
  EXPECT_TRUE(std::isinf(law_nmse(body, {NAN, 1}, problem)));
}

TEST(LawNmse, IsInfiniteForATargetThatNeverChangesUnlessExact) {
  const auto problem = toy_problem({}, [](const Row&) { return 4.0; });
  const auto body = formula::parse_infix("a + 0*x0", {"x0"}).value().body;
  EXPECT_EQ(law_nmse(body, {4}, problem), 0);
  EXPECT_TRUE(std::isinf(law_nmse(body, {5}, problem)));
}

TEST(LawChoice, TakesAnExactSmallLaw) {
  EXPECT_EQ(chosen_size({law_of(1, 1), law_of(7, 1e-3), law_of(12, 1e-29),
                         law_of(30, 1e-31)}),
            12u);
  EXPECT_EQ(chosen_size({law_of(12, 1e-29, 1e-29), law_of(40, 1e-30, 1e-9)}),
            12u);
}

TEST(LawChoice, TakesALawThatForetellsBeforeAShorterStandIn) {
  EXPECT_EQ(chosen_size({law_of(15, 1e-15, 1e-6), law_of(20, 1e-29, 1e-28)}),
            20u);
}

TEST(LawChoice, TakesAShortLawWhereTheRestIsNoise) {
  EXPECT_EQ(chosen_size({law_of(1, 1), law_of(7, 0.0101), law_of(15, 0.0100),
                         law_of(40, 0.0095, 0, 9)}),
            7u);
}

TEST(LawChoice, TakesTheOnlyOne) {
  EXPECT_EQ(chosen_size({law_of(3, 0.7)}), 3u);
  EXPECT_EQ(chosen_size({law_of(3, 0.7, INFINITY)}), 3u);
}

}  // namespace
}  // namespace lamarck::law
