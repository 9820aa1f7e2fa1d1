#include "lamarck/graph/internal/layered_layout.h"

#include <algorithm>
#include <numeric>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
using Neighbours = std::vector<std::vector<std::size_t>>;

// The column of a node is the length of the longest path from a leaf. A leaf is
// placed just before its first reader, not in column 0, so that its edge is
// short.
std::vector<std::size_t> assign_columns(std::size_t node_count,
                                        const Edges& edges,
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
  const std::vector<std::size_t> column = assign_columns(node_count, edges, to);
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
  // Barycenter heuristic (Sugiyama et al. 1981): sort each column by the mean
  // row of its nodes' neighbors, sweeping to the right and to the left in turn.
  constexpr int kSweeps = 8;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto& nodes : columns) {
      std::vector<std::pair<double, std::size_t>> targets;
      for (const std::size_t node : nodes) {
        double sum = places[node].row;
        for (const std::size_t other : near[node]) sum += places[other].row;
        targets.emplace_back(
            sum / (1.0 + static_cast<double>(near[node].size())), node);
      }
      std::ranges::stable_sort(targets);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i] = targets[i].second;
      spread(nodes);
    }
    std::ranges::reverse(columns);
  }
  return places;
}

}  // namespace lamarck
