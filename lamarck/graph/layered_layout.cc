#include "lamarck/graph/layered_layout.h"

#include <algorithm>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

constexpr int kSweeps = 12;

// Adjacent items that would overlap and therefore move together.
struct Block {
  double sum = 0;
  std::size_t count = 0;
  double mean() const { return sum / static_cast<double>(count); }
};

class Layout {
 public:
  Layout(std::vector<LayoutItem>& items, const LayoutEdges& edges)
      : items_(items), neighbours_(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].column >= columns_.size()) {
        columns_.resize(items[i].column + 1);
      }
      columns_[items[i].column].push_back(i);
    }
    for (const auto& [from, to] : edges) {
      neighbours_[from].push_back(to);
      neighbours_[to].push_back(from);
    }
  }

  void run() {
    for (const auto& column : columns_) stack(column);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      // The first sweeps look at one side only, which removes crossings; the
      // last ones look at both, which straightens lines.
      const bool both_sides = sweep >= kSweeps / 2;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool is_forward = sweep % 2 == 0;
        arrange(columns_[is_forward ? i : columns_.size() - 1 - i], is_forward,
                both_sides);
      }
    }
  }

 private:
  // Places the items of a column one below the other, centered at 0.
  void stack(const std::vector<std::size_t>& column) {
    double total = 0;
    for (const std::size_t i : column) total += items_[i].height;
    double y = -total / 2;
    for (const std::size_t i : column) {
      items_[i].y = y + items_[i].height / 2;
      y += items_[i].height;
    }
  }

  // The mean height of the neighbors, or the current height without neighbors.
  double preferred_y(std::size_t item, bool is_forward, bool both_sides) const {
    double sum = 0;
    double count = 0;
    for (const std::size_t other : neighbours_[item]) {
      const bool is_before = items_[other].column < items_[item].column;
      if (!both_sides && is_before != is_forward) continue;
      sum += items_[other].y;
      ++count;
    }
    return count > 0 ? sum / count : items_[item].y;
  }

  void arrange(std::vector<std::size_t>& column, bool is_forward,
               bool both_sides) {
    std::vector<double> preferred(items_.size());
    for (const std::size_t i : column) {
      preferred[i] = preferred_y(i, is_forward, both_sides);
    }
    const bool is_free = std::ranges::none_of(
        column, [&](std::size_t i) { return items_[i].keeps_order; });
    if (is_free) {
      std::ranges::stable_sort(column, {},
                               [&](std::size_t i) { return preferred[i]; });
    }
    place(column, preferred);
  }

  // Minimizes the squared distances to the preferred heights such that no items
  // overlap. After subtracting the space above each item this is isotonic
  // regression, which pooling adjacent violators solves exactly.
  void place(const std::vector<std::size_t>& column,
             const std::vector<double>& preferred) {
    std::vector<double> above;
    double total = 0;
    for (const std::size_t i : column) {
      above.push_back(total + items_[i].height / 2);
      total += items_[i].height;
    }
    std::vector<Block> blocks;
    for (std::size_t at = 0; at < column.size(); ++at) {
      blocks.push_back({preferred[column[at]] - above[at], 1});
      while (blocks.size() > 1 &&
             blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back().sum += last.sum;
        blocks.back().count += last.count;
      }
    }
    std::size_t at = 0;
    for (const Block& block : blocks) {
      for (std::size_t i = 0; i < block.count; ++i, ++at) {
        items_[column[at]].y = block.mean() + above[at];
      }
    }
  }

  std::vector<LayoutItem>& items_;
  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<std::vector<std::size_t>> columns_;
};

}  // namespace

std::vector<std::size_t> layout_columns(std::size_t node_count,
                                        const LayoutEdges& edges) {
  std::vector<std::vector<std::size_t>> to(node_count);
  std::vector<std::size_t> waiting(node_count, 0);
  for (const auto& [from, into] : edges) {
    to[from].push_back(into);
    ++waiting[into];
  }
  // The length of the longest path from a leaf.
  std::vector<std::size_t> columns(node_count, 0);
  std::vector<std::size_t> order;
  std::vector<char> is_leaf(node_count, 0);
  for (std::size_t node = 0; node < node_count; ++node) {
    is_leaf[node] = waiting[node] == 0 ? 1 : 0;
    if (is_leaf[node] != 0) order.push_back(node);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const std::size_t next : to[order[at]]) {
      columns[next] = std::max(columns[next], columns[order[at]] + 1);
      if (--waiting[next] == 0) order.push_back(next);
    }
  }
  ENSURE(order.size() == node_count, "a graph with layers has no cycle");
  for (std::size_t node = 0; node < node_count; ++node) {
    if (is_leaf[node] == 0 || to[node].empty()) continue;
    std::size_t first = columns[to[node][0]];
    for (const std::size_t next : to[node]) {
      first = std::min(first, columns[next]);
    }
    columns[node] = first - 1;
  }
  return columns;
}

void lay_out(std::vector<LayoutItem>& items, const LayoutEdges& edges) {
  Layout(items, edges).run();
}

}  // namespace lamarck
