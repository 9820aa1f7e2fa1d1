// Positions for drawing an acyclic graph: columns by depth, and within each
// column an order that keeps edges short.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lamarck {

struct LayoutPlace {
  std::size_t column = 0;
  double row = 0;  // 0 is the middle of the column.
};

// Edges go from the first to the second node. REQUIRES: no cycle.
std::vector<LayoutPlace> layered_layout(
    std::size_t node_count,
    const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace lamarck
