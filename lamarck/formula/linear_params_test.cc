#include "lamarck/formula/linear_params.h"

#include <gtest/gtest.h>

namespace lamarck::formula {
namespace {

using Mask = std::vector<std::uint8_t>;

TEST(LinearParams, IncludeOnlyAddedAndMultipliedParams) {
  ExpressionBuilder b;  // p0 * sin(p1 * x) - p2 / x + p3
  const NodeIndex x = b.input(0);
  const NodeIndex wave = b.apply(
      Op::Mul, b.param(0), b.apply(Op::Sin, b.apply(Op::Mul, b.param(1), x)));
  const NodeIndex pole = b.apply(Op::Div, b.param(2), x);
  const NodeIndex root =
      b.apply(Op::Add, b.apply(Op::Sub, wave, pole), b.param(3));
  EXPECT_EQ(linear_params(b.finish(root)), (Mask{1, 0, 1, 1}));
}

TEST(LinearParams, AreJointlyLinear) {
  ExpressionBuilder b;  // p0 * p1 * x
  const NodeIndex product = b.apply(Op::Mul, b.param(0), b.param(1));
  const Expression expression = b.finish(b.apply(Op::Mul, product, b.input(0)));
  EXPECT_EQ(linear_params(expression), (Mask{1, 0}));
}

TEST(LinearParams, MayOccurInBranchButNotInCondition) {
  ExpressionBuilder b;  // where(x < p0, p1, -p2)
  const NodeIndex below = b.apply(Op::Less, b.input(0), b.param(0));
  const Expression expression = b.finish(
      b.apply(Op::Where, below, b.param(1), b.apply(Op::Neg, b.param(2))));
  EXPECT_EQ(linear_params(expression), (Mask{0, 1, 1}));
}

TEST(LinearParams, ExcludeDenominators) {
  ExpressionBuilder b;  // x / p0
  const Expression expression =
      b.finish(b.apply(Op::Div, b.input(0), b.param(0)));
  EXPECT_EQ(linear_params(expression), (Mask{0}));
}

}  // namespace
}  // namespace lamarck::formula
