// Nodes that last while one of their supporters does, and which losses would
// take a given node along.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::evolution {

// A node is lost when its last supporter is lost; a node without supporters
// lasts. Nodes on a cycle keep each other.
struct SupportGraph {
  std::vector<std::vector<std::size_t>> supporters;  // By node.
  std::vector<std::vector<std::size_t>> supported;   // By node.

  explicit SupportGraph(std::size_t nodes)
      : supporters(nodes), supported(nodes) {}
  std::size_t size() const { return supporters.size(); }
  std::size_t add_node();
  // REQUIRES: the two differ.
  void add(std::size_t supporter, std::size_t node);
};

// Marks each node whose loss is or leads to the loss of one of `targets`.
// Takes O(E log V), and for each node on a cycle one visit to every edge of the
// nodes that its loss takes along.
std::vector<bool> find_fatal_losses(const SupportGraph& graph,
                                    std::span<const std::size_t> targets);

}  // namespace lamarck::evolution
