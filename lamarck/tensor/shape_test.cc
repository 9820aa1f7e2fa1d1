#include "lamarck/tensor/shape.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape().element_count(), 1);
  EXPECT_EQ(Shape({3, 4}).element_count(), 12);
  EXPECT_EQ(Shape({3, 0, 4}).element_count(), 0);
  EXPECT_EQ(Shape({64, 784}).to_string(), "[64, 784]");
}

TEST(Shape, RejectsInvalidSizes) {
  EXPECT_THROW(Shape({-1}), LogicError);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), LogicError);
  EXPECT_THROW(Shape({1LL << 40, 1LL << 40}), LogicError);
}

TEST(Shape, FindsAxesFromBothEnds) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(shape.axis(0, "sum"), 0u);
  EXPECT_EQ(shape.axis(-1, "sum"), 2u);
  EXPECT_THROW(shape.axis(3, "sum"), LogicError);
  EXPECT_THROW(shape.axis(-4, "sum"), LogicError);
}

TEST(Shape, ChangesOneAxis) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(shape.with(1, 9), Shape({2, 9, 4}));
  EXPECT_EQ(shape.without(0), Shape({3, 4}));
  EXPECT_EQ(shape.with_inserted(3, 1), Shape({2, 3, 4, 1}));
}

TEST(Shape, BroadcastsLikeNumpy) {
  EXPECT_EQ(broadcast_shape({4, 1, 3}, {5, 1}, "add"), Shape({4, 5, 3}));
  EXPECT_EQ(broadcast_shape({}, {2, 2}, "add"), Shape({2, 2}));
  EXPECT_EQ(broadcast_shape({1}, {0}, "add"), Shape({0}));
  const auto strides = broadcast_strides({4, 1, 3}, {2, 4, 5, 3});
  EXPECT_EQ(strides[0], 0);
  EXPECT_EQ(strides[1], 3);
  EXPECT_EQ(strides[2], 0);
  EXPECT_EQ(strides[3], 1);
}

TEST(Shape, MismatchNamesOperationAndBothShapes) {
  try {
    broadcast_shape({3, 4}, {5, 4}, "add");
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_STREQ(caught.what(),
                 "add: shapes [3, 4] and [5, 4] do not match; sizes must be "
                 "equal or 1, counted from the last axis.");
    EXPECT_EQ(caught.error().fields().at("operation"), "add");
    EXPECT_EQ(caught.error().fields().at("left"), "[3, 4]");
  }
}

TEST(Shape, RejectsOverflowingSizesEvenNextToZero) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THROW(Shape({huge, huge}), LogicError);
  EXPECT_THROW(Shape({0, huge, huge}), LogicError);
  EXPECT_EQ(Shape({0, huge}).element_count(), 0);
}

}  // namespace
}  // namespace lamarck
