#include "lamarck/gp/gp_prune.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/internal/gp_tree_fixture.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

struct Pruned {
  GpModel before;
  GpModel after;
};

template <class Law>
Pruned fit_and_prune(std::vector<GpTree> terms, Law law) {
  const auto problem = toy_problem({.rows = 50, .inputs = 2}, law);
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  GpFitter fitter;
  Pruned result;
  result.before.terms = std::move(terms);
  EXPECT_TRUE(fitter.fit(result.before, data.subset(), {.steps = 30}));
  result.after = pruned(result.before, data.subset(), fitter);
  GpModel again = result.after;
  EXPECT_TRUE(fitter.fit(again, data.subset(), {.steps = 30}));
  EXPECT_LE(again.nmse, std::max(1.006 * result.before.nmse, 2e-24));
  return result;
}

TEST(GpPrune, DropsUnneededTermsAndIntercept) {
  const Pruned result =
      fit_and_prune({gp_apply(Op::Sin, x()), gp_apply(Op::Exp, x(1)),
                     gp_apply(Op::Mul, x(), x(1))},
                    [](const Row& r) { return 3 * std::sin(r[0]); });
  EXPECT_EQ(result.after.terms, std::vector<GpTree>{gp_apply(Op::Sin, x())});
  EXPECT_FALSE(result.after.has_intercept);
  EXPECT_NEAR(result.after.coefficients.at(0), 3, 1e-9);
}

TEST(GpPrune, DropsUnneededNodes) {
  const GpTree nothing =
      gp_apply(Op::Add, gp_apply(Op::Mul, x(1), gp_constant(0.01)), x());
  const Pruned result =
      fit_and_prune({gp_apply(Op::Sin, nothing)},
                    [](const Row& r) { return 3 * std::sin(r[0]) + 1; });
  EXPECT_EQ(result.after.terms, std::vector<GpTree>{gp_apply(Op::Sin, x())});
  EXPECT_TRUE(result.after.has_intercept);
}

TEST(GpPrune, KeepsNeededTerms) {
  const std::vector<GpTree> terms = {gp_apply(Op::Sin, x()), x(1)};
  const Pruned result = fit_and_prune(
      terms, [](const Row& r) { return std::sin(r[0]) + 2 * r[1] + 5; });
  EXPECT_EQ(result.after.terms, terms);
  EXPECT_TRUE(result.after.has_intercept);
}

TEST(GpPrune, LimitsGrowthOfError) {
  Rng noise(9);
  const Pruned result = fit_and_prune(
      {gp_apply(Op::Sin, x()), gp_apply(Op::Exp, x(1)), gp_apply(Op::Log, x())},
      [&](const Row& r) { return std::sin(r[0]) + 0.1 * noise.normal(); });
  EXPECT_LE(result.after.size(), result.before.size());
  EXPECT_LE(result.after.nmse, 1.005 * result.before.nmse);
}

}  // namespace
}  // namespace lamarck::gp
