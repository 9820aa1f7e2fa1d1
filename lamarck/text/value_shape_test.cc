#include "lamarck/text/value_shape.h"

#include <gtest/gtest.h>

namespace lamarck::text {
namespace {

TEST(ValueShape, KeepsTheKindOfCharactersOnly) {
  EXPECT_EQ(value_shape("Ada Lovelace"), "W W");
  EXPECT_EQ(value_shape("13:25"), "9:9");
  EXPECT_EQ(value_shape("#team"), "#w");
  EXPECT_EQ(value_shape("W1105"), "W9");
  EXPECT_EQ(value_shape("ana@mail7.example"), "w@w9.w");
  EXPECT_EQ(value_shape("\xC3\xA9t\xC3\xA9"), "w");
  EXPECT_EQ(value_shape(""), "");
}

TEST(ValueShape, CapitalsMatterIfAllShapesBeginWithOne) {
  EXPECT_TRUE(has_shape("Oslo", {"W"}));
  EXPECT_FALSE(has_shape("flight", {"W"}));
  EXPECT_TRUE(has_shape("Nordic", {"w", "w w"}));
  EXPECT_TRUE(has_shape("wrong size", {"w", "w w"}));
  EXPECT_FALSE(has_shape("Q2", {"w"}));
}

}  // namespace
}  // namespace lamarck::text
