// Packs by priorities: an item goes into the bin with the highest priority
// among those that it fits, the oldest one if equal.
//
// A priority depends only on the size of the item and the space left in the
// bin, both small integers. So all priorities are computed once into a table,
// and packing is a table lookup.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/problems/packing_instance.h"

namespace lamarck::problems {

// The priorities of all pairs of an item size and the space left. Immutable.
class PackingTable {
 public:
  // An integer with the same order as the priority; integers compare faster.
  using Key = std::int64_t;

  // `priorities` are ordered by item from `smallest` to `largest`, then by
  // space left from 0 to `capacity`. Those with less space than the item are
  // ignored. REQUIRES: 0 < smallest <= largest <= capacity; one priority per
  // pair, and none that is used is NaN.
  PackingTable(int smallest, int largest, int capacity,
               std::span<const double> priorities);

  int smallest() const { return smallest_; }
  int largest() const { return largest_; }
  int capacity() const { return capacity_; }
  // The keys of an item by space left. The key of a bin that the item does not
  // fit is less than that of every bin that it fits.
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

// The number of bins used. An empty bin is always available, after those in
// use. REQUIRES: the items and the capacity of the instance are within the
// table.
int bins_used(const PackingInstance& instance, const PackingTable& table);

// Bins used divided by the lower bound of all instances together, minus 1:
// 0.0581 means 5.81 % too many. REQUIRES: `instances` is not empty.
double packing_excess(std::span<const PackingInstance> instances,
                      const PackingTable& table);

}  // namespace lamarck::problems
