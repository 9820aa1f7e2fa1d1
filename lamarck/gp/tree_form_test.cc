#include "lamarck/gp/tree_form.h"

#include <gtest/gtest.h>

namespace lamarck::gp {
namespace {

using formula::Op;

TreeNode input(std::uint32_t index) {
  return {.op = Op::Input, .index = index};
}
TreeNode constant(double value) { return {.op = Op::Constant, .value = value}; }

// where(x0 < 2, x1 * x1, sqrt(x1 * x1))
Tree sample() {
  return {{.op = Op::Where}, {.op = Op::Less}, input(0), constant(2),
          {.op = Op::Mul},   input(1),         input(1), {.op = Op::Sqrt},
          {.op = Op::Mul},   input(1),         input(1)};
}

TEST(TreeForm, SurvivesRoundTripThroughExpression) {
  const formula::Expression expression = to_expression(sample());

  EXPECT_EQ(expression.nodes().size(), 7u);  // The product is shared.
  EXPECT_EQ(expression.size(), sample().size());
  EXPECT_EQ(to_tree(expression), sample());
  EXPECT_EQ(tree_depth(sample()), expression.depth());
}

TEST(TreeForm, FindsSubtreeEnds) {
  EXPECT_EQ(subtree_end(sample(), 0), 11u);
  EXPECT_EQ(subtree_end(sample(), 1), 4u);
  EXPECT_EQ(subtree_end(sample(), 10), 11u);
  EXPECT_EQ(argument_places(sample(), 0), (std::vector<std::size_t>{1, 4, 7}));
  EXPECT_TRUE(argument_places(sample(), 2).empty());
}

TEST(TreeForm, ReplacesSubtreeByLongerOrShorterOne) {
  Tree tree = sample();
  replace_subtree(tree, 4, {constant(7)});
  EXPECT_EQ(tree.size(), 9u);
  EXPECT_EQ(argument_places(tree, 0), (std::vector<std::size_t>{1, 4, 5}));

  replace_subtree(tree, 4, sample());
  EXPECT_EQ(tree.size(), 19u);
  EXPECT_EQ(subtree(tree, 4), sample());
}

TEST(TreeForm, DistinguishesTruthValuesFromNumbers) {
  EXPECT_TRUE(is_truth(Op::Less));
  EXPECT_TRUE(is_truth(Op::Not));
  EXPECT_FALSE(is_truth(Op::Where));
  EXPECT_FALSE(is_truth(Op::Constant));
}

}  // namespace
}  // namespace lamarck::gp
