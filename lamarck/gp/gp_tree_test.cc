#include "lamarck/gp/gp_tree.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/gp/internal/gp_tree_fixture.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;

constexpr std::size_t kInputs = 3;
constexpr std::uint64_t kSeeds = 2000;

std::vector<double> random_row(Rng& rng) {
  std::vector<double> row;
  for (std::size_t i = 0; i < kInputs; ++i) row.push_back(rng.uniform(0.5, 2));
  return row;
}

TEST(GpTree, TracksSubtreeLengths) {
  const GpTree tree =
      gp_apply(Op::Mul, gp_apply(Op::Sin, x()), gp_apply(Op::Add, x(), x(1)));
  ASSERT_EQ(tree.size(), 6u);
  EXPECT_TRUE(is_valid_tree(tree));
  EXPECT_EQ(first_argument(tree, 5), 1u);
  EXPECT_EQ(first_of(tree, 4), 2u);
  EXPECT_EQ(subtree(tree, 4), gp_apply(Op::Add, x(), x(1)));
}

TEST(GpTree, EverySubtreeIsValid) {
  for (std::uint64_t seed = 0; seed < kSeeds / 4; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 5, kInputs);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      ASSERT_TRUE(is_valid_tree(subtree(tree, node))) << "seed " << seed;
      ASSERT_EQ(replaced(tree, node, subtree(tree, node)), tree)
          << "seed " << seed;
    }
  }
}

// Replacing a subtree by its value does not change the value of the tree.
TEST(GpTree, ReplacingSubtreePreservesTheRest) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 5, kInputs);
    const std::vector<double> row = random_row(rng);
    const std::size_t node = rng.below(tree.size());
    const double part = toy_value(subtree(tree, node), row);
    const GpTree other = replaced(tree, node, gp_constant(part));
    ASSERT_TRUE(is_valid_tree(other)) << "seed " << seed;
    ASSERT_EQ(other.size(), tree.size() + 1 - tree[node].length);
    const double before = toy_value(tree, row);
    if (!std::isfinite(before) || !std::isfinite(part)) continue;
    EXPECT_EQ(toy_value(other, row), before) << "seed " << seed;
  }
}

TEST(GpTree, FoldingPreservesValueAndNeverGrows) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 2 * kSeeds; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 4, kInputs);
    const GpTree less = folded(tree);
    ASSERT_TRUE(is_valid_tree(less)) << "seed " << seed;
    EXPECT_LE(less.size(), tree.size()) << "seed " << seed;
    const std::vector<double> row = random_row(rng);
    const double before = toy_value(tree, row);
    if (!std::isfinite(before)) continue;
    ++compared;
    EXPECT_NEAR(toy_value(less, row), before,
                1e-9 * std::max(1.0, std::fabs(before)))
        << "seed " << seed;
  }
  EXPECT_GT(compared, 1000);
}

TEST(GpTree, FoldsConstantsAndInverses) {
  const GpTree sum = gp_apply(Op::Add, gp_constant(2), gp_constant(3));
  EXPECT_EQ(folded(sum), gp_constant(5));
  EXPECT_EQ(folded(gp_apply(Op::Log, gp_apply(Op::Exp, x()))), x());
  EXPECT_EQ(folded(gp_apply(Op::Neg, gp_apply(Op::Neg, x()))), x());
  EXPECT_EQ(folded(gp_apply(Op::Sub, x(), x())), gp_constant(0));
  EXPECT_EQ(folded(gp_apply(Op::Div, x(), x())), gp_constant(1));
  EXPECT_EQ(folded(gp_apply(Op::Mul, x(), x())), gp_apply(Op::Square, x()));
  EXPECT_EQ(folded(gp_apply(Op::Mul, x(), gp_constant(0))), gp_constant(0));
  EXPECT_EQ(folded(gp_apply(Op::Add, x(), gp_constant(0))), x());
}

TEST(GpTree, FoldingOrdersCommutativeArguments) {
  for (const Op op : {Op::Add, Op::Mul, Op::Minimum, Op::Maximum}) {
    const GpTree sine = gp_apply(Op::Sin, x());
    EXPECT_EQ(folded(gp_apply(op, sine, x(1))),
              folded(gp_apply(op, x(1), sine)));
    EXPECT_EQ(folded(gp_apply(op, x(2), x(1))),
              folded(gp_apply(op, x(1), x(2))));
  }
}

TEST(GpTree, StructureHashIgnoresConstants) {
  const GpTree one = gp_apply(Op::Mul, x(), gp_constant(1));
  const GpTree two = gp_apply(Op::Mul, x(), gp_constant(2));
  EXPECT_EQ(structure_hash(one), structure_hash(two));
  EXPECT_NE(structure_hash(one),
            structure_hash(gp_apply(Op::Mul, x(1), gp_constant(1))));
  EXPECT_NE(structure_hash(one),
            structure_hash(gp_apply(Op::Add, x(), gp_constant(1))));
}

TEST(GpTree, CountsNestingOfTranscendentalFunctions) {
  const GpTree sine = gp_apply(Op::Sin, x());
  EXPECT_EQ(nesting(x()), 0);
  EXPECT_EQ(nesting(gp_apply(Op::Square, x())), 0);
  EXPECT_EQ(nesting(sine), 1);
  EXPECT_EQ(nesting(gp_apply(Op::Mul, sine, sine)), 1);
  EXPECT_EQ(nesting(gp_apply(Op::Exp, gp_apply(Op::Square, sine))), 2);
  EXPECT_EQ(nesting(gp_apply(Op::Add, gp_apply(Op::Tanh, sine), x())), 2);
}

TEST(GpTree, CountsConstants) {
  const GpTree tree = gp_apply(Op::Add, gp_apply(Op::Mul, x(), gp_constant(4)),
                               gp_constant(-1));
  EXPECT_EQ(constants_of(tree), (std::vector<double>{4, -1}));
  EXPECT_EQ(constant_count(tree), 2u);
  EXPECT_TRUE(has_input(tree));
  EXPECT_FALSE(has_input(gp_constant(1)));
}

}  // namespace
}  // namespace lamarck::gp
