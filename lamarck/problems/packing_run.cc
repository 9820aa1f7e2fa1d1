#include "lamarck/problems/packing_run.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "lamarck/base/ensure.h"

namespace lamarck::problems {
namespace {

using Key = PackingTable::Key;

constexpr Key kDoesNotFit = std::numeric_limits<Key>::min();

// Maps a double to an integer with the same order. The bits of positive doubles
// are already ordered as integers; those of negative ones are reversed. Adding
// 0 turns -0 into 0.
Key make_key(double priority) {
  const Key bits = std::bit_cast<Key>(priority + 0.0);
  return bits < 0 ? ~(bits & std::numeric_limits<Key>::max()) : bits;
}

// The bins in use that still have space for some item, oldest first.
class OpenBins {
 public:
  OpenBins(const PackingTable& table, std::size_t items) : table_(&table) {
    left_.reserve(items);
  }

  void put(int item) {
    const std::size_t best = best_bin(table_->row(item));
    if (best == left_.size()) open();
    left_[best] -= item;
    // A bin that is too full for every item is dropped, which keeps the list
    // short.
    if (left_[best] < table_->smallest()) {
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  int used() const { return used_; }

 private:
  // Returns the number of bins in use for a new bin. Goes from the newest to
  // the oldest bin without branches; `>=` prefers the oldest of equal ones.
  std::size_t best_bin(const Key* keys) const {
    std::size_t best = left_.size();
    Key highest = keys[table_->capacity()];
    for (std::size_t i = left_.size(); i-- > 0;) {
      const Key key = keys[left_[i]];
      best = key >= highest ? i : best;
      highest = std::max(key, highest);
    }
    return best;
  }

  void open() {
    left_.push_back(table_->capacity());
    ++used_;
  }

  const PackingTable* table_;  // Not owned.
  std::vector<int> left_;      // The space left in each bin.
  int used_ = 0;
};

}  // namespace

PackingTable::PackingTable(int smallest, int largest, int capacity,
                           std::span<const double> priorities)
    : smallest_(smallest),
      largest_(largest),
      capacity_(capacity),
      keys_(priorities.size(), kDoesNotFit) {
  REQUIRE(0 < smallest && smallest <= largest && largest <= capacity,
          "PackingTable: sizes must have 0 < smallest <= largest <= capacity, "
          "got {}, {} and {}.",
          smallest, largest, capacity);
  REQUIRE(priorities.size() == begin(largest + 1),
          "PackingTable: there must be {} priorities, one per item size and "
          "space left, got {}.",
          begin(largest + 1), priorities.size());
  for (int item = smallest; item <= largest; ++item) {
    const std::size_t end = begin(item + 1);
    for (auto i = begin(item) + static_cast<std::size_t>(item); i < end; ++i) {
      keys_[i] = make_key(priorities[i]);
    }
  }
}

int bins_used(const PackingInstance& instance, const PackingTable& table) {
  OpenBins bins(table, instance.items.size());
  for (const int item : instance.items) bins.put(item);
  return bins.used();
}

double packing_excess(std::span<const PackingInstance> instances,
                      const PackingTable& table) {
  REQUIRE(!instances.empty(),
          "packing_excess: at least one instance is needed.");
  std::int64_t used = 0;
  std::int64_t bound = 0;
  for (const PackingInstance& instance : instances) {
    used += bins_used(instance, table);
    bound += min_bins(instance);
  }
  return static_cast<double>(used) / static_cast<double>(bound) - 1;
}

}  // namespace lamarck::problems
