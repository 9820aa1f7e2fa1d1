// Vertical positions for the picture of a network whose columns are given.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lamarck::report {

struct LayoutItem {
  std::size_t column = 0;
  double height = 1;         // Including the space around the item.
  bool keeps_order = false;  // The items of its column are not reordered.
  double y = 0;              // Output: the middle of the item.
};

// Pairs of indices of connected items.
using LayoutLinks = std::vector<std::pair<std::size_t, std::size_t>>;

// Sets `y` of all items. Sweeps over the columns sort each column by the mean
// height of its neighbors (the barycenter heuristic), then place every item as
// close to that mean as the others allow.
void lay_out(std::vector<LayoutItem>& items, const LayoutLinks& links);

}  // namespace lamarck::report
