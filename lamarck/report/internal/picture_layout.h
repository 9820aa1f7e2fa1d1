// Places for a picture of a network: columns are given, heights are found.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lamarck::report {

struct LayoutItem {
  std::size_t column = 0;
  double height = 1;         // The room it needs, with the space around it.
  bool keeps_order = false;  // Among the items of its column, as they came.
  double y = 0;              // Found: its middle.
};

using LayoutLinks = std::vector<std::pair<std::size_t, std::size_t>>;

// Sweeps over the columns sort each by the mean height of its neighbours, then
// put every item as near to that mean as the others allow.
void lay_out(std::vector<LayoutItem>& items, const LayoutLinks& links);

}  // namespace lamarck::report
