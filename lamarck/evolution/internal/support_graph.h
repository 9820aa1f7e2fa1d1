// A graph of nodes that exist while at least one of their supporters does, and
// a search for the nodes whose loss would remove a given one.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::evolution {

// A node is lost when its last supporter is lost. A node that never had
// supporters is lost only if it is removed itself. Nodes on a cycle support
// each other.
struct SupportGraph {
  std::vector<std::vector<std::size_t>> supporters;  // Indexed by node.
  std::vector<std::vector<std::size_t>> supported;   // Indexed by node.

  explicit SupportGraph(std::size_t nodes)
      : supporters(nodes), supported(nodes) {}
  std::size_t size() const { return supporters.size(); }
  std::size_t add_node();
  // REQUIRES: the two differ.
  void add(std::size_t supporter, std::size_t node);
};

// Marks each target and each node whose loss leads to the loss of a target.
// Takes O(E log V), plus for each node on a cycle one visit to every edge of
// the nodes that are lost with it.
std::vector<bool> find_fatal_losses(const SupportGraph& graph,
                                    std::span<const std::size_t> targets);

}  // namespace lamarck::evolution
