#include "lamarck/formula/expression.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::formula {
namespace {

// x0 * 2 + p0, with the parts built in either order.
Expression line_expression(bool is_param_first) {
  ExpressionBuilder builder;
  if (is_param_first) builder.param(0);
  const NodeIndex product =
      builder.apply(Op::Mul, builder.input(0), builder.constant(2));
  return builder.finish(builder.apply(Op::Add, product, builder.param(0)));
}

TEST(Expression, DefaultIsConstantZero) {
  ExpressionBuilder builder;

  EXPECT_EQ(Expression(), builder.finish(builder.constant(0)));
  EXPECT_EQ(Expression().hash(), builder.finish(builder.constant(0)).hash());
}

TEST(Expression, CountsInputsParamsSizeAndDepth) {
  const Expression expression = line_expression(false);

  EXPECT_EQ(expression.input_count(), 1u);
  EXPECT_EQ(expression.param_count(), 1u);
  EXPECT_EQ(expression.size(), 5u);
  EXPECT_EQ(expression.depth(), 3u);
  EXPECT_EQ(expression.root().op, Op::Add);
}

TEST(Expression, IsIndependentOfBuildOrder) {
  EXPECT_EQ(line_expression(false), line_expression(true));
  EXPECT_EQ(line_expression(false).hash(), line_expression(true).hash());
}

TEST(Expression, ArgumentsPrecedeTheirNode) {
  const Expression expression = line_expression(true);

  for (std::size_t i = 0; i < expression.nodes().size(); ++i) {
    const Node& node = expression.nodes()[i];
    for (int k = 0; k < operation(node.op).arity; ++k) {
      EXPECT_LT(node.arguments[static_cast<std::size_t>(k)], i);
    }
  }
}

TEST(ExpressionBuilder, SharesEqualNodes) {
  ExpressionBuilder builder;
  const NodeIndex a = builder.apply(Op::Sin, builder.input(0));
  const NodeIndex b = builder.apply(Op::Sin, builder.input(0));

  EXPECT_EQ(a, b);
  EXPECT_EQ(builder.node_count(), 2u);
}

TEST(ExpressionBuilder, SharesNansButNotSignedZeros) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  ExpressionBuilder builder;

  EXPECT_EQ(builder.constant(kNaN), builder.constant(-kNaN));
  EXPECT_NE(builder.constant(0.0), builder.constant(-0.0));
  const Expression nan = builder.finish(builder.constant(kNaN));
  EXPECT_EQ(nan, Expression(nan));
}

TEST(ExpressionBuilder, FinishDropsUnusedNodes) {
  ExpressionBuilder builder;
  builder.apply(Op::Exp, builder.input(7));

  EXPECT_EQ(builder.finish(builder.input(1)).nodes().size(), 1u);
}

TEST(ExpressionBuilder, SizeCountsSharedNodesAsTree) {
  ExpressionBuilder builder;
  NodeIndex x = builder.input(0);
  for (int i = 0; i < 10; ++i) x = builder.apply(Op::Add, x, x);
  EXPECT_EQ(builder.finish(x).size(), 2047u);

  for (int i = 0; i < 100; ++i) x = builder.apply(Op::Add, x, x);
  EXPECT_EQ(builder.finish(x).size(), std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(builder.finish(x).depth(), 111u);
  EXPECT_EQ(builder.finish(x).nodes().size(), 111u);
}

TEST(ExpressionBuilder, AppendReplacesLeaves) {
  ExpressionBuilder builder;
  const std::array inputs = {builder.apply(Op::Cos, builder.input(3))};

  const Expression with_input =
      builder.finish(builder.append(line_expression(false), inputs, {}));

  ExpressionBuilder expected;
  const NodeIndex product =
      expected.apply(Op::Mul, expected.apply(Op::Cos, expected.input(3)),
                     expected.constant(2));
  EXPECT_EQ(with_input, expected.finish(expected.apply(Op::Add, product,
                                                       expected.param(0))));
}

TEST(ExpressionBuilder, RejectsWrongNumberOfArguments) {
  ExpressionBuilder builder;
  const NodeIndex x = builder.input(0);

  EXPECT_THROW(builder.apply(Op::Sin, x, x), LogicError);
  EXPECT_THROW(builder.apply(Op::Add, x), LogicError);
  EXPECT_THROW(builder.apply(Op::Sin, 99), LogicError);
}

}  // namespace
}  // namespace lamarck::formula
