// Places for the nodes of an acyclic graph: columns by depth, and in each an
// order that keeps edges short.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lamarck {

struct LayoutPlace {
  std::size_t column = 0;
  double row = 0;  // The middle of the column is 0.
};

// Edges go from the first to the second node. REQUIRES: no cycle.
std::vector<LayoutPlace> layered_layout(
    std::size_t node_count,
    const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace lamarck
