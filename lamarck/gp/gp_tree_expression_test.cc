// Conversion of trees of the genetic engine to expressions and back.

#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/gp_tree.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

formula::Expression make_expression(const GpTree& tree,
                                    std::uint32_t* next_param) {
  formula::ExpressionBuilder builder;
  const formula::NodeIndex root = append_tree(tree, builder, next_param);
  return builder.finish(root);
}

formula::Expression parsed(std::string_view text) {
  return formula::parse_infix(text, {"x", "y"}).value().body;
}

TEST(GpTreeExpression, SurvivesRoundTrip) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 5, 3);
    std::uint32_t params = 0;
    const auto with_params = make_expression(tree, &params);
    EXPECT_EQ(params, constant_count(tree)) << "seed " << seed;
    EXPECT_EQ(make_gp_tree(with_params, constants_of(tree), 1000), tree)
        << "seed " << seed;
    EXPECT_EQ(make_gp_tree(make_expression(tree, nullptr), {}, 1000), tree)
        << "seed " << seed;
  }
}

TEST(GpTreeExpression, NumbersParamsFromNextParam) {
  formula::ExpressionBuilder builder;
  std::uint32_t next = 4;
  append_tree(gp_constant(1), builder, &next);
  const formula::NodeIndex second = append_tree(gp_constant(1), builder, &next);
  EXPECT_EQ(next, 6u);
  EXPECT_EQ(builder.node(second).index, 5u);
}

TEST(GpTreeExpression, SetsMissingParamsToOne) {
  const std::vector<double> params = {2.5};
  const auto tree = make_gp_tree(parsed("a*x + b"), params, 100);
  ASSERT_TRUE(tree);
  EXPECT_EQ(toy_value(*tree, {2, 0}), 6);
}

TEST(GpTreeExpression, RejectsBranchesAndLongExpressions) {
  EXPECT_FALSE(make_gp_tree(parsed("where(x < y, x, y)"), {}, 100));
  EXPECT_FALSE(make_gp_tree(parsed("(x < y) * x"), {}, 100));
  EXPECT_FALSE(make_gp_tree(parsed("x + y"), {}, 2));
  EXPECT_TRUE(make_gp_tree(parsed("x + y"), {}, 3));
}

TEST(GpTreeExpression, SupportsMoreThan256Inputs) {
  formula::ExpressionBuilder builder;
  const auto body = builder.finish(builder.input(300));
  const auto tree = make_gp_tree(body, {}, 10);
  ASSERT_TRUE(tree);
  EXPECT_EQ(make_expression(*tree, nullptr), body);
  EXPECT_NE(structure_hash(*tree), structure_hash(gp_input(44)));
}

}  // namespace
}  // namespace lamarck::gp
