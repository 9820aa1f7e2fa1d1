#include "lamarck/archipelago/packing_run.h"

#include <cstdint>
#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

// The bins in use that an item may still fit, oldest first.
class OpenBins {
 public:
  OpenBins(const PackingTable& table, std::size_t items) : table_(&table) {
    left_.reserve(items);
  }

  void put(int item) {
    const double* priorities = table_->row(item);
    const std::size_t best = best_bin(item, priorities);
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
  std::size_t best_bin(int item, const double* priorities) const {
    std::size_t best = left_.size();
    double highest = priorities[table_->capacity()];
    for (std::size_t i = left_.size(); i-- > 0;) {
      const int left = left_[i];
      if (left >= item && priorities[left] >= highest) {
        best = i;
        highest = priorities[left];
      }
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
                           std::vector<double> priorities)
    : smallest_(smallest),
      largest_(largest),
      capacity_(capacity),
      priorities_(std::move(priorities)) {
  REQUIRE(0 < smallest && smallest <= largest && largest <= capacity,
          "PackingTable: sizes lie between 1 and the capacity");
  REQUIRE(
      priorities_.size() == static_cast<std::size_t>(largest - smallest + 1) *
                                static_cast<std::size_t>(capacity + 1),
      "PackingTable: one priority for each item and what is left");
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
    least += least_bins(instance);
  }
  return static_cast<double>(used) / static_cast<double>(least) - 1;
}

}  // namespace lamarck::archipelago
