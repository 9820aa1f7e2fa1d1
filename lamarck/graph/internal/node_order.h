// An order in which a graph's nodes can be computed, kept while edges come and
// go. A new edge is checked for cycles by a search that stays between its ends.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/graph/var.h"

namespace lamarck {

struct Node;

class NodeOrder {
 public:
  // Keeps a reference to `nodes`. REQUIRES: `order` has each node after what it
  // reads.
  NodeOrder(const std::vector<Node>& nodes, std::span<const NodeId> order);

  // A node reads only nodes of lower rank. Nodes that do not depend on each
  // other may have the same rank.
  std::int64_t rank(NodeId id) const { return ranks_[id]; }
  // In no order; a node that reads `id` twice is there twice.
  std::span<const NodeId> readers(NodeId id) const { return readers_[id]; }

  // Changes ranks so that `to` may read `from`; returns false if that would
  // close a cycle. Searches only if the ranks are not in order yet, and then
  // from both ends until one side is complete.
  bool admit(NodeId from, NodeId to);

  // Of a node that nothing reads; its inputs are known already.
  void add_node(NodeId id);
  void remove_node(NodeId id);
  // REQUIRES: `admit` accepted all of `after`.
  void replace_inputs(NodeId id, std::span<const NodeId> before,
                      std::span<const NodeId> after);

 private:
  class Search;

  // Ranks `moved` anew between `low` and `high`; returns false if there are too
  // few numbers between them.
  bool move(std::vector<NodeId> moved, std::int64_t low, std::int64_t high);
  bool move_before(const Search& sources, NodeId to);
  bool move_behind(const Search& readers, NodeId from);
  void rank_all(std::span<const NodeId> order);
  void rank_behind_inputs(NodeId id);
  void spread_ranks();

  const std::vector<Node>& nodes_;
  std::vector<std::int64_t> ranks_;           // By node.
  std::vector<std::vector<NodeId>> readers_;  // By node.
};

}  // namespace lamarck
