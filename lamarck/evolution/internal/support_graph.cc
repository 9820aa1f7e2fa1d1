// Without cycles, the nodes whose loss removes a given node are its dominators:
// those that lie on every path from a node without supporters. They form a
// tree, which is built in one pass over the nodes in topological order. Nodes
// on cycles keep each other alive, so for them the loss is simulated.

#include "lamarck/evolution/internal/support_graph.h"

#include <algorithm>

namespace lamarck::evolution {

std::size_t SupportGraph::add_node() {
  supporters.emplace_back();
  supported.emplace_back();
  return size() - 1;
}

void SupportGraph::add(std::size_t supporter, std::size_t node) {
  supporters[node].push_back(supporter);
  supported[supporter].push_back(node);
}

namespace {

// An order with supporters before the nodes they support, except on cycles.
// Finds the strongly connected components (Tarjan 1972) with an explicit stack,
// because recursion could overflow on deep graphs.
class SupportOrder {
 public:
  explicit SupportOrder(const SupportGraph& graph)
      : graph_(graph),
        numbers_(graph.size(), 0),
        lowest_(graph.size(), 0),
        is_closed_(graph.size(), false),
        is_on_cycle_(graph.size(), false) {
    for (std::size_t node = 0; node < graph.size(); ++node) {
      if (numbers_[node] == 0) visit(node);
    }
  }

  const std::vector<std::size_t>& nodes() const { return order_; }
  bool is_on_cycle(std::size_t node) const { return is_on_cycle_[node]; }

 private:
  struct Visit {
    std::size_t node;
    std::size_t next = 0;  // In its supporters.
  };

  // Depth-first search from `root` along the supporters.
  void visit(std::size_t root) {
    open(root);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const auto& supporters = graph_.supporters[visit.node];
      if (visit.next == supporters.size()) {
        leave(visit.node);
        continue;
      }
      const std::size_t supporter = supporters[visit.next++];
      if (numbers_[supporter] == 0) {
        open(supporter);
      } else if (!is_closed_[supporter]) {
        lower(visit.node, numbers_[supporter]);
      }
    }
  }

  void open(std::size_t node) {
    numbers_[node] = lowest_[node] = ++last_number_;
    waiting_.push_back(node);
    path_.push_back({.node = node});
  }

  void lower(std::size_t node, std::size_t number) {
    lowest_[node] = std::min(lowest_[node], number);
  }

  void leave(std::size_t node) {
    path_.pop_back();
    if (!path_.empty()) lower(path_.back().node, lowest_[node]);
    if (lowest_[node] == numbers_[node]) close_component(node);
  }

  // `first` has the lowest number of its component, whose other nodes lie above
  // it on waiting_.
  void close_component(std::size_t first) {
    const bool is_cycle = waiting_.back() != first;
    while (!is_closed_[first]) {
      const std::size_t node = waiting_.back();
      waiting_.pop_back();
      is_closed_[node] = true;
      is_on_cycle_[node] = is_cycle;
      order_.push_back(node);
    }
  }

  const SupportGraph& graph_;
  std::vector<std::size_t> numbers_;  // Order of visits; 0: not visited.
  std::vector<std::size_t> lowest_;   // The lowest number reachable so far.
  std::vector<bool> is_closed_;       // Its component is complete.
  std::vector<bool> is_on_cycle_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> waiting_;  // Visited nodes of open components.
  std::vector<Visit> path_;           // The stack of the search.
  std::size_t last_number_ = 0;
};

// A dominator tree, built by attaching nodes in order. Each node also stores a
// jump to an ancestor further up (Myers 1983), so the common ancestor of two
// nodes is found in O(log n) with two words per node.
class LossTree {
 public:
  explicit LossTree(std::size_t nodes)
      : root_(nodes),
        parents_(nodes + 1, nodes),
        jumps_(nodes + 1, nodes),
        depths_(nodes + 1, 0) {}

  std::size_t root() const { return root_; }
  std::size_t parent(std::size_t node) const { return parents_[node]; }

  void attach(std::size_t node, std::size_t parent) {
    // If the last two jumps above have the same length, the new one covers
    // both; otherwise it leads to the parent.
    const std::size_t jump = jumps_[parent];
    const bool is_same_length = depths_[parent] - depths_[jump] ==
                                depths_[jump] - depths_[jumps_[jump]];
    parents_[node] = parent;
    depths_[node] = depths_[parent] + 1;
    jumps_[node] = is_same_length ? jumps_[jump] : parent;
  }

  // The lowest common ancestor.
  std::size_t meet(std::size_t a, std::size_t b) const {
    if (depths_[a] < depths_[b]) std::swap(a, b);
    while (depths_[a] > depths_[b]) {
      a = depths_[jumps_[a]] >= depths_[b] ? jumps_[a] : parents_[a];
    }
    while (a != b) {
      const bool is_below = jumps_[a] != jumps_[b];
      a = is_below ? jumps_[a] : parents_[a];
      b = is_below ? jumps_[b] : parents_[b];
    }
    return a;
  }

 private:
  std::size_t root_;
  std::vector<std::size_t> parents_;
  std::vector<std::size_t> jumps_;  // An ancestor of each node.
  std::vector<std::size_t> depths_;
};

// The ancestors of a node in this tree are the nodes whose loss removes it. A
// node is lost with all of its supporters, so its parent is the lowest common
// ancestor of these. Nodes on cycles hang from the root: no loss outside the
// cycle removes them.
LossTree make_loss_tree(const SupportGraph& graph, const SupportOrder& order) {
  LossTree tree(graph.size());
  for (const std::size_t node : order.nodes()) {
    const auto& supporters = graph.supporters[node];
    std::size_t parent = tree.root();
    if (!supporters.empty() && !order.is_on_cycle(node)) {
      parent = supporters[0];
      for (const std::size_t supporter : supporters) {
        parent = tree.meet(parent, supporter);
      }
    }
    tree.attach(node, parent);
  }
  return tree;
}

// Simulates the loss of single nodes.
class LossTrial {
 public:
  explicit LossTrial(const SupportGraph& graph)
      : graph_(graph), is_lost_(graph.size(), false) {
    for (const auto& supporters : graph.supporters) {
      remaining_.push_back(supporters.size());
    }
  }

  // Whether the loss of `node` leads to the loss of a marked node.
  bool takes_marked(std::size_t node, const std::vector<bool>& is_marked) {
    lost_ = {node};
    is_lost_[node] = true;
    bool is_found = false;
    std::size_t done = 0;
    for (; done < lost_.size() && !is_found; ++done) {
      for (const std::size_t next : graph_.supported[lost_[done]]) {
        if (--remaining_[next] > 0 || is_lost_[next]) continue;
        is_lost_[next] = true;
        lost_.push_back(next);
        is_found |= is_marked[next];
      }
    }
    undo(done);
    return is_found;
  }

 private:
  // Restores the counters that the first `done` losses have changed; cheaper
  // than copying them for every trial.
  void undo(std::size_t done) {
    for (std::size_t i = 0; i < done; ++i) {
      for (const std::size_t next : graph_.supported[lost_[i]]) {
        ++remaining_[next];
      }
    }
    for (const std::size_t node : lost_) is_lost_[node] = false;
  }

  const SupportGraph& graph_;
  std::vector<std::size_t> remaining_;  // Supporters left, by node.
  std::vector<bool> is_lost_;
  std::vector<std::size_t> lost_;
};

}  // namespace

std::vector<bool> find_fatal_losses(const SupportGraph& graph,
                                    std::span<const std::size_t> targets) {
  std::vector<bool> is_fatal(graph.size(), false);
  const SupportOrder order(graph);
  const LossTree tree = make_loss_tree(graph, order);
  // All ancestors of a target are fatal. Stopping at a marked one visits every
  // node once.
  for (std::size_t node : targets) {
    for (; node != tree.root() && !is_fatal[node]; node = tree.parent(node)) {
      is_fatal[node] = true;
    }
  }
  // The loss of a node on a cycle may break the cycle, which the tree does not
  // show. Marked nodes are fatal themselves, so reaching one is enough.
  LossTrial trial(graph);
  for (const std::size_t node : order.nodes()) {
    if (order.is_on_cycle(node) && !is_fatal[node]) {
      is_fatal[node] = trial.takes_marked(node, is_fatal);
    }
  }
  return is_fatal;
}

}  // namespace lamarck::evolution
