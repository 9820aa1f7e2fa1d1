#include "lamarck/graph/internal/layered_layout.h"

#include <algorithm>
#include <numeric>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
using Neighbours = std::vector<std::vector<std::size_t>>;

// Longest path from a node without inputs; those stand right before the first
// that reads them.
std::vector<std::size_t> columns_of(std::size_t node_count, const Edges& edges,
                                    const Neighbours& to) {
  std::vector<std::size_t> waiting(node_count, 0);
  for (const auto& edge : edges) ++waiting[edge.second];
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
  ENSURE(order.size() == node_count, "a layered graph has no cycle");
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

}  // namespace

std::vector<LayoutPlace> layered_layout(std::size_t node_count,
                                        const Edges& edges) {
  Neighbours to(node_count);
  Neighbours near(node_count);
  for (const auto& [from, into] : edges) {
    to[from].push_back(into);
    near[from].push_back(into);
    near[into].push_back(from);
  }
  const std::vector<std::size_t> column = columns_of(node_count, edges, to);
  std::vector<std::vector<std::size_t>> columns(
      column.empty() ? 0 : *std::ranges::max_element(column) + 1);
  for (std::size_t node = 0; node < node_count; ++node) {
    columns[column[node]].push_back(node);
  }
  std::vector<LayoutPlace> places(node_count);
  const auto spread = [&](const std::vector<std::size_t>& nodes) {
    const double middle = (static_cast<double>(nodes.size()) - 1) / 2;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      places[nodes[i]] = {column[nodes[i]], static_cast<double>(i) - middle};
    }
  };
  for (const auto& nodes : columns) spread(nodes);
  // Each node towards the middle of its neighbours, a few times to and fro.
  constexpr int kSweeps = 8;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto& nodes : columns) {
      std::vector<std::pair<double, std::size_t>> wish;
      for (const std::size_t node : nodes) {
        double sum = places[node].row;
        for (const std::size_t other : near[node]) sum += places[other].row;
        wish.emplace_back(sum / (1.0 + static_cast<double>(near[node].size())),
                          node);
      }
      std::ranges::stable_sort(wish);
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = wish[i].second;
      spread(nodes);
    }
    std::ranges::reverse(columns);
  }
  return places;
}

}  // namespace lamarck
