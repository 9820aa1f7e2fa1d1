// A topological order of a graph's nodes, maintained while edges are added and
// removed. To check a new edge for cycles, it searches only the nodes that are
// ranked between the two ends of the edge.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/graph/var.h"

namespace lamarck {

struct Node;

class NodeOrder {
 public:
  // Keeps a reference to `nodes`. REQUIRES: in `order`, each node comes after
  // its inputs.
  NodeOrder(const std::vector<Node>& nodes, std::span<const NodeId> order);

  // A node reads only nodes of lower rank. Nodes that do not depend on each
  // other may have the same rank.
  std::int64_t rank(NodeId id) const { return ranks_[id]; }
  // The nodes that read `id`, unordered. A node that reads it twice is listed
  // twice.
  std::span<const NodeId> readers(NodeId id) const { return readers_[id]; }

  // Adjusts ranks so that `to` may read `from`; returns false if that edge
  // would close a cycle. Searches only if the ranks are in the wrong order, and
  // then from both ends at once until one side is exhausted.
  bool admit(NodeId from, NodeId to);

  // REQUIRES: `nodes` already holds the inputs of the new node, and no node
  // reads it.
  void add_node(NodeId id);
  // REQUIRES: no node reads it.
  void remove_node(NodeId id);
  // REQUIRES: `admit` accepted all of `after`.
  void replace_inputs(NodeId id, std::span<const NodeId> before,
                      std::span<const NodeId> after);

 private:
  class Search;

  // Gives the `moved` nodes new ranks between `low` and `high`; returns false
  // if there are too few integers between them.
  bool move(std::vector<NodeId> moved, std::int64_t low, std::int64_t high);
  bool move_before(const Search& sources, NodeId to);
  bool move_after(const Search& readers, NodeId from);
  void rank_all(std::span<const NodeId> order);
  void rank_after_inputs(NodeId id);
  // Restores wide gaps between all ranks.
  void spread_ranks();

  const std::vector<Node>& nodes_;
  std::vector<std::int64_t> ranks_;           // Indexed by node.
  std::vector<std::vector<NodeId>> readers_;  // Indexed by node.
};

}  // namespace lamarck
