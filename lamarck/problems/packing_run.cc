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

// Smaller for a smaller number, the same for 0 and -0.
Key key_of(double priority) {
  const Key bits = std::bit_cast<Key>(priority + 0.0);
  return bits < 0 ? ~(bits & std::numeric_limits<Key>::max()) : bits;
}

// The bins in use that an item may still fit, oldest first.
class OpenBins {
 public:
  OpenBins(const PackingTable& table, std::size_t items) : table_(&table) {
    left_.reserve(items);
  }

  void put(int item) {
    const std::size_t best = best_bin(table_->row(item));
    if (best == left_.size()) open();
    left_[best] -= item;
    // A bin that is too full for every item is never looked at again.
    if (left_[best] < table_->smallest()) {
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  int used() const { return used_; }

 private:
  // The number of bins in use stands for a new one.
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

  const PackingTable* table_;  // Outlives this.
  std::vector<int> left_;
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
          "PackingTable: sizes lie between 1 and the capacity");
  REQUIRE(priorities.size() == begin(largest + 1),
          "PackingTable: one priority for each item and what is left");
  for (int item = smallest; item <= largest; ++item) {
    const std::size_t end = begin(item + 1);
    for (auto i = begin(item) + static_cast<std::size_t>(item); i < end; ++i) {
      keys_[i] = key_of(priorities[i]);
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
  REQUIRE(!instances.empty(), "packing_excess: at least one instance");
  std::int64_t used = 0;
  std::int64_t least = 0;
  for (const PackingInstance& instance : instances) {
    used += bins_used(instance, table);
    least += min_bins(instance);
  }
  return static_cast<double>(used) / static_cast<double>(least) - 1;
}

}  // namespace lamarck::problems
