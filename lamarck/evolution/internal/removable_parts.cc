// Trying every removal on a copy would take quadratic time. Instead, one
// analysis finds all nodes whose loss would lead to the loss of something that
// must stay (support_graph.h), and each edge and node is then checked in
// constant time.

#include "lamarck/evolution/internal/removable_parts.h"

#include <algorithm>

#include "lamarck/evolution/internal/orphans.h"
#include "lamarck/evolution/internal/placed_edges.h"
#include "lamarck/evolution/internal/support_graph.h"

namespace lamarck::evolution {
namespace {

bool is_fixed(const NetworkNode& node) {
  return node.role == Role::Hidden && node.is_bottleneck();
}

// Whether there is anything that a removal must keep. If not, all edges and
// nodes are removable.
bool has_needs(const Network& network, const MutationLimits& limits) {
  return limits.keeps_outputs || std::ranges::any_of(network.nodes(), is_fixed);
}

// The edges that are the last outgoing one of a hidden node or the last
// incoming one of a node. Only such edges can create orphans, so all others are
// removable. Outputs need forward edges, so recurrent edges to them do not
// count.
class LastEdges {
 public:
  LastEdges(const Network& network, std::span<const PlacedEdge> edges)
      : network_(network),
        leaving_(network.nodes().size(), 0),
        arriving_(network.nodes().size(), 0) {
    for (const PlacedEdge& edge : edges) {
      leaving_[edge.from] += leaves(edge);
      arriving_[edge.to] += arrives(edge);
    }
  }

  // `arrives` and `leaves` are the edge's own contribution to the counts, which
  // is 0 for self-loops.
  bool contain(const PlacedEdge& edge) const {
    const bool is_hidden = role(edge.from) == Role::Hidden;
    return (is_hidden && leaving_[edge.from] == leaves(edge)) ||
           arriving_[edge.to] == arrives(edge);
  }

 private:
  Role role(std::size_t place) const { return network_.nodes()[place].role; }
  std::size_t leaves(const PlacedEdge& edge) const {
    return edge.is_self_loop() ? 0 : 1;
  }
  std::size_t arrives(const PlacedEdge& edge) const {
    const bool counts = role(edge.to) != Role::Output || !edge.recurrent;
    return counts && !edge.is_self_loop() ? 1 : 0;
  }

  const Network& network_;
  std::vector<std::size_t> leaving_;   // Indexed by position.
  std::vector<std::size_t> arriving_;  // Indexed by position.
};

// Decides which nodes and edges can be removed. A hidden node needs an incoming
// and an outgoing edge, so there is one support graph per direction: in inward_
// a node is supported by its sources, in outward_ by its targets.
//
// The directions can be analyzed separately: a loss in one direction never
// causes a loss in the other. For example, if all sources of a node become
// orphans because they have no targets left, the node itself is gone already,
// since it was one of their targets.
class NetworkLosses {
 public:
  NetworkLosses(const Network& network, const MutationLimits& limits,
                std::span<const PlacedEdge> edges)
      : network_(network),
        is_orphan_(find_orphans(network, edges)),
        inward_(network.nodes().size()),
        outward_(network.nodes().size()) {
    if (limits.keeps_outputs) add_outputs();
    for (const PlacedEdge& edge : edges) add_edge(edge);
    check_needs();
    if (!is_whole_) return;
    inward_fatal_ = find_fatal_losses(inward_, inward_targets_);
    outward_fatal_ = find_fatal_losses(outward_, fixed_);
  }

  bool allow_node(std::size_t place) const {
    return is_whole_ && !inward_fatal_[place] && !outward_fatal_[place];
  }

  // Removing an edge is fatal if it is the only support of a node whose loss is
  // fatal, in either direction.
  bool allow_edge(const PlacedEdge& edge) const {
    if (!is_whole_) return false;
    if (!is_counted(edge)) return true;
    const std::size_t to = inward_node(edge);
    return !(outward_fatal_[edge.from] &&
             outward_.supporters[edge.from].size() == 1) &&
           !(inward_fatal_[to] && inward_.supporters[to].size() == 1);
  }

 private:
  Role role(std::size_t place) const { return network_.nodes()[place].role; }
  // Self-loops and edges of orphans support nothing.
  bool is_counted(const PlacedEdge& edge) const {
    return !edge.is_self_loop() && !is_orphan_[edge.from] &&
           !is_orphan_[edge.to];
  }

  // An output has two roles. As the source of recurrent edges it always exists.
  // As a target that must keep a forward edge it is represented by an
  // additional node of inward_, with an index behind those of all nodes.
  void add_outputs() {
    needs_.resize(network_.nodes().size(), 0);
    for (std::size_t place = 0; place < needs_.size(); ++place) {
      if (role(place) != Role::Output) continue;
      needs_[place] = inward_.add_node();
      inward_targets_.push_back(needs_[place]);
    }
  }

  // The node of inward_ that the edge supports.
  std::size_t inward_node(const PlacedEdge& edge) const {
    const bool is_need =
        role(edge.to) == Role::Output && !edge.recurrent && !needs_.empty();
    return is_need ? needs_[edge.to] : edge.to;
  }

  void add_edge(const PlacedEdge& edge) {
    if (!is_counted(edge)) return;
    const std::size_t to = inward_node(edge);
    if (role(edge.to) == Role::Hidden || to != edge.to) {
      inward_.add(edge.from, to);
    }
    if (role(edge.from) == Role::Hidden) outward_.add(edge.to, edge.from);
  }

  // Collects what must stay: the outputs' additional nodes and the bottlenecks.
  // If one of them is missing already, no removal is allowed.
  void check_needs() {
    for (const std::size_t need : inward_targets_) {
      is_whole_ &= !inward_.supporters[need].empty();
    }
    for (std::size_t place = 0; place < is_orphan_.size(); ++place) {
      if (!is_fixed(network_.nodes()[place])) continue;
      is_whole_ &= !is_orphan_[place];
      fixed_.push_back(place);
      inward_targets_.push_back(place);
    }
  }

  const Network& network_;
  std::vector<bool> is_orphan_;     // Indexed by position.
  SupportGraph inward_;             // Nodes are supported by their sources.
  SupportGraph outward_;            // Nodes are supported by their targets.
  std::vector<std::size_t> needs_;  // Additional node, by output position.
  std::vector<std::size_t> fixed_;  // Bottlenecks.
  std::vector<std::size_t> inward_targets_;  // All that must stay in inward_.
  bool is_whole_ = true;
  std::vector<bool> inward_fatal_;
  std::vector<bool> outward_fatal_;
};

}  // namespace

std::vector<Network::Ends> removable_edges(const Network& network,
                                           const MutationLimits& limits,
                                           bool recurrent) {
  if (!has_needs(network, limits)) {
    return recurrent ? network.recurrent_edges() : network.forward_edges();
  }
  const std::vector<PlacedEdge> edges = place_edges(network);
  const LastEdges last_edges(network, edges);
  const NetworkLosses losses(network, limits, edges);
  std::vector<Network::Ends> ends;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].recurrent != recurrent) continue;
    if (last_edges.contain(edges[i]) && !losses.allow_edge(edges[i])) continue;
    ends.emplace_back(network.edges()[i].from, network.edges()[i].to);
  }
  return ends;
}

std::vector<UnitId> removable_nodes(const Network& network,
                                    const MutationLimits& limits) {
  if (!has_needs(network, limits)) return network.changeable_nodes();
  const NetworkLosses losses(network, limits, place_edges(network));
  std::vector<UnitId> ids;
  for (std::size_t i = 0; i < network.nodes().size(); ++i) {
    const NetworkNode& node = network.nodes()[i];
    if (node.role != Role::Hidden || node.is_bottleneck()) continue;
    if (losses.allow_node(i)) ids.push_back(node.id);
  }
  return ids;
}

}  // namespace lamarck::evolution
