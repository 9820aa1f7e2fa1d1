// Positions for drawing an acyclic graph in columns, from left to right.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lamarck {

// Pairs of indices: from the first to the second item.
using LayoutEdges = std::vector<std::pair<std::size_t, std::size_t>>;

// Returns a column for each node, to the right of its inputs. A leaf is placed
// just before its first reader, so that its edge is short. REQUIRES: no cycle.
std::vector<std::size_t> layout_columns(std::size_t node_count,
                                        const LayoutEdges& edges);

struct LayoutItem {
  std::size_t column = 0;
  double height = 1;         // Including the space around the item.
  bool keeps_order = false;  // The items of its column are not reordered.
  double y = 0;              // Output: the middle of the item.
};

// Sets `y` of all items. Sweeps over the columns sort each column by the mean
// height of its neighbors (the barycenter heuristic of Sugiyama et al. 1981),
// then place every item as close to that mean as the others allow.
void lay_out(std::vector<LayoutItem>& items, const LayoutEdges& edges);

}  // namespace lamarck
