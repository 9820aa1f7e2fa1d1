// Packing by priorities: an item goes to the bin that it fits and that has the
// highest priority, the first of equals.
//
// A priority depends on the item's size and on what is left in the bin alone,
// and both are small whole numbers: so all priorities stand in one table, and
// packing is looking them up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/problems/packing_instance.h"

namespace lamarck::problems {

// The priority of every bin that an item fits. Immutable.
class PackingTable {
 public:
  // Whole numbers in the order of the priorities: they compare faster.
  using Key = std::int64_t;

  // By item from `smallest` to `largest`, then by what is left in a bin from 0
  // to `capacity`; what is less than the item means nothing.
  // REQUIRES: 0 < smallest <= largest <= capacity; `priorities` as many as
  // there are pairs, none of them NaN.
  PackingTable(int smallest, int largest, int capacity,
               std::span<const double> priorities);

  int smallest() const { return smallest_; }
  int largest() const { return largest_; }
  int capacity() const { return capacity_; }
  // By what is left. The key of a bin that the item does not fit is less than
  // that of every bin that it fits.
  const Key* row(int item) const { return keys_.data() + begin(item); }

 private:
  std::size_t begin(int item) const {
    return static_cast<std::size_t>(item - smallest_) *
           static_cast<std::size_t>(capacity_ + 1);
  }

  int smallest_;
  int largest_;
  int capacity_;
  std::vector<Key> keys_;
};

// How many bins are used. Bins that are still empty count as one more bin
// behind those in use. REQUIRES: the instance's items and capacity are the
// table's.
int bins_used(const PackingInstance& instance, const PackingTable& table);

// Bins used over the least bins of all instances together, less 1: 0.0581 are
// 5.81 % too many. REQUIRES: not empty.
double packing_excess(std::span<const PackingInstance> instances,
                      const PackingTable& table);

}  // namespace lamarck::problems
