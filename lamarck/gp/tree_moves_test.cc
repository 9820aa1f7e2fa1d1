#include "lamarck/gp/tree_moves.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lamarck::gp {
namespace {

using formula::Op;

const TreeVocabulary& words() {
  static const TreeVocabulary kWords =
      TreeVocabulary::make({"add", "sub", "mul", "minimum", "abs", "less",
                            "less_equal", "and", "not", "where"},
                           {})
          .value();
  return kWords;
}

// Whether every condition of a where and every argument of logic is a truth
// value.
bool is_well_typed(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Op op = tree[i].op;
    const auto places = argument_places(tree, i);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const bool wants_truth = (op == Op::Where && k == 0) || op == Op::And ||
                               op == Op::Or || op == Op::Not;
      if (is_truth(tree[places[k]].op) != wants_truth) return false;
    }
  }
  return true;
}

TEST(TreeMoves, YieldValidAndWellTypedTrees) {
  for (const TreeMove& move : tree_moves()) {
    int applied = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Rng rng(seed);
      Tree tree = words().number(2, 5, rng);
      const Tree mate = words().number(2, 5, rng);
      if (!move.apply(tree, {words(), mate, 2}, rng)) continue;
      ++applied;
      ASSERT_EQ(subtree_end(tree, 0), tree.size())
          << move.name << ", seed " << seed;
      ASSERT_TRUE(is_well_typed(tree)) << move.name << ", seed " << seed;
    }
    EXPECT_GT(applied, 20) << move.name;
  }
}

TEST(TreeMoves, HaveUniqueNamesAndPositiveWeights) {
  std::set<std::string_view> names;
  for (const TreeMove& move : tree_moves()) {
    EXPECT_TRUE(names.insert(move.name).second) << move.name;
    EXPECT_EQ(find_tree_move(move.name), &move);
    EXPECT_GT(move.weight, 0) << move.name;
    EXPECT_FALSE(move.what.empty()) << move.name;
  }
  EXPECT_EQ(find_tree_move("fly"), nullptr);
}

TEST(TreeMoves, ReportWhenTheyDoNotApply) {
  const Tree leaf = {{.op = Op::Input, .index = 0}};
  for (const std::string_view name :
       {"remove", "hoist", "shrink", "turn", "jitter", "redraw", "threshold"}) {
    Rng rng(1);
    Tree tree = leaf;
    EXPECT_FALSE(find_tree_move(name)->apply(tree, {words(), leaf, 1}, rng))
        << name;
    EXPECT_EQ(tree, leaf) << name;
  }
}

TEST(TreeMoves, ThresholdChangesOnlyConstantOfComparison) {
  const Tree before = {{.op = Op::Where},
                       {.op = Op::Less},
                       {.op = Op::Input, .index = 0},
                       {.op = Op::Constant, .value = 20},
                       {.op = Op::Constant, .value = 1},
                       {.op = Op::Constant, .value = 2}};
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    Tree tree = before;
    ASSERT_TRUE(
        find_tree_move("threshold")->apply(tree, {words(), before, 1}, rng));
    EXPECT_EQ(tree[4].value, 1) << "seed " << seed;
    EXPECT_EQ(tree[5].value, 2) << "seed " << seed;
    moved += tree[3].value != 20 ? 1 : 0;
  }
  EXPECT_GT(moved, 40);
}

}  // namespace
}  // namespace lamarck::gp
