// Packing by priorities: an item goes to the bin that it fits and that has the
// highest priority, the first of equals.
//
// A priority depends on the item's size and on what is left in the bin alone,
// and both are small whole numbers: so all priorities stand in one table, and
// packing is looking them up.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/archipelago/packing_instance.h"

namespace lamarck::archipelago {

// The priority of every bin that an item fits. Immutable.
class PackingTable {
 public:
  // For every item from `smallest` to `largest` in bins of `capacity`.
  // REQUIRES: 0 < smallest <= largest <= capacity; `priorities` as many as
  // there are pairs, none of them NaN.
  PackingTable(int smallest, int largest, int capacity,
               std::vector<double> priorities);

  int smallest() const { return smallest_; }
  int largest() const { return largest_; }
  int capacity() const { return capacity_; }
  // By what is left, from 0 to the capacity; below `item` it means nothing.
  const double* row(int item) const {
    return priorities_.data() + static_cast<std::size_t>(item - smallest_) *
                                    static_cast<std::size_t>(capacity_ + 1);
  }

 private:
  int smallest_;
  int largest_;
  int capacity_;
  std::vector<double> priorities_;
};

// How many bins are used. Bins that are still empty count as one more bin
// behind those in use. REQUIRES: the instance's items and capacity are the
// table's.
int bins_used(const PackingInstance& instance, const PackingTable& table);

// Bins used over the least bins of all instances together, less 1: 0.0581 are
// 5.81 % too many. REQUIRES: not empty.
double packing_excess(std::span<const PackingInstance> instances,
                      const PackingTable& table);

}  // namespace lamarck::archipelago
