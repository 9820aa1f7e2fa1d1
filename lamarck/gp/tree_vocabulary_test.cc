#include "lamarck/gp/tree_vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace lamarck::gp {
namespace {

using formula::Op;

TEST(TreeVocabulary, GrowsOnlyKnownOperations) {
  const auto words =
      TreeVocabulary::make({"add", "abs", "less", "where"}, {}).value();
  const std::set<Op> known = {Op::Add,   Op::Abs,   Op::Less,
                              Op::Where, Op::Input, Op::Constant};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const bool wants_truth = seed % 2 == 0;
    const Tree tree =
        wants_truth ? words.truth(2, 4, rng) : words.number(2, 4, rng);
    EXPECT_EQ(is_truth(tree[0].op), wants_truth) << "seed " << seed;
    EXPECT_EQ(subtree_end(tree, 0), tree.size()) << "seed " << seed;
    EXPECT_LE(tree_depth(tree), 4u) << "seed " << seed;
    for (const TreeNode& node : tree) EXPECT_TRUE(known.contains(node.op));
  }
}

TEST(TreeVocabulary, DrawsConstantsFromRangeAndHints) {
  const auto words =
      TreeVocabulary::make({"add"}, {.low = 0.5, .high = 8, .hints = {150}})
          .value();
  Rng rng(1);
  int hints = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = words.constant(rng);
    hints += value == 150 ? 1 : 0;
    EXPECT_TRUE(value == 150 ||
                (std::abs(value) >= 0.5 && std::abs(value) <= 8))
        << value;
  }
  EXPECT_NEAR(hints, 500, 80);
}

TEST(TreeVocabulary, FindsSimilarOperation) {
  const auto words =
      TreeVocabulary::make({"add", "mul", "abs", "less", "less_equal"}, {})
          .value();
  Rng rng(1);

  EXPECT_EQ(words.similar(Op::Add, rng), Op::Mul);
  EXPECT_EQ(words.similar(Op::Less, rng), Op::LessEqual);
  EXPECT_EQ(words.similar(Op::Abs, rng), Op::Abs);
  EXPECT_EQ(words.similar(Op::And, rng), Op::And);
}

TEST(TreeVocabulary, RejectsUnknownOrMissingOperations) {
  const auto unknown = TreeVocabulary::make({"add", "sinus"}, {});
  const auto lonely = TreeVocabulary::make({"add", "where"}, {});
  const auto empty = TreeVocabulary::make({"less"}, {});

  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message().substr(0, 42),
            "Unknown operation 'sinus'; use one of add,");
  ASSERT_FALSE(lonely);
  EXPECT_EQ(lonely.error().message(),
            "The operation 'where' needs a comparison; add one to the "
            "operations, such as less.");
  EXPECT_FALSE(empty);
  EXPECT_FALSE(TreeVocabulary::make({"input"}, {}));
}

TEST(TreeVocabulary, RoundsConstantsToDigits) {
  EXPECT_EQ(rounded_constant(12345.678, 2), 12000);
  EXPECT_EQ(rounded_constant(-0.0012349, 3), -0.00123);
}

}  // namespace
}  // namespace lamarck::gp
