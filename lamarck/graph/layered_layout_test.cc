#include "lamarck/graph/layered_layout.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(LayoutColumns, PlaceEveryNodeRightOfItsInputs) {
  const LayoutEdges edges = {{0, 2}, {1, 2}, {2, 3}, {4, 3}, {0, 3}};
  const auto columns = layout_columns(5, edges);
  for (const auto& [from, to] : edges) EXPECT_LT(columns[from], columns[to]);
  EXPECT_EQ(columns[4], 1u) << "a leaf is placed just before its reader";
}

TEST(LayOut, RemovesCrossingsAndOverlaps) {
  // Two pairs of items whose lines cross in the given order.
  std::vector<LayoutItem> items = {{0, 10}, {0, 10}, {1, 10}, {1, 10}};
  items[0].keeps_order = items[1].keeps_order = true;

  lay_out(items, {{0, 3}, {1, 2}});

  EXPECT_LT(items[3].y, items[2].y);
  EXPECT_NEAR(items[3].y, items[0].y, 1e-9);
  EXPECT_GE(items[2].y - items[3].y, 10 - 1e-9);
}

}  // namespace
}  // namespace lamarck
