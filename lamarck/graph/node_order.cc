#include "lamarck/graph/internal/node_order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {
namespace {

// The distance between a node and its inputs, so that other nodes can be ranked
// between them later.
constexpr std::int64_t kRankGap = std::int64_t{1} << 32;

enum class SearchResult : std::uint8_t { Unfinished, Complete, FoundGoal };

}  // namespace

// A depth-first search from one end of a new edge towards the other end, the
// goal. It visits only nodes ranked between the two ends: a path between them
// cannot leave that range, because ranks increase along edges.
class NodeOrder::Search {
 public:
  Search(const NodeOrder& order, NodeId start, NodeId goal, bool is_forward)
      : order_(order),
        goal_(goal),
        is_forward_(is_forward),
        nodes_({start}),
        seen_({start}),
        path_({{start}}) {}

  // Follows one more edge, so that two searches can take turns.
  SearchResult advance() {
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const std::span<const NodeId> next = neighbours(visit.id);
      if (visit.next < next.size()) return enter(next[visit.next++]);
      path_.pop_back();
    }
    return SearchResult::Complete;
  }

  const std::vector<NodeId>& nodes() const { return nodes_; }
  std::span<const NodeId> neighbours(NodeId id) const {
    return is_forward_ ? order_.readers(id)
                       : std::span<const NodeId>(order_.nodes_[id].inputs);
  }
  bool contains(NodeId id) const { return seen_.contains(id); }

 private:
  struct Visit {
    NodeId id;
    std::size_t next = 0;
  };

  SearchResult enter(NodeId id) {
    if (id == goal_) return SearchResult::FoundGoal;
    const bool is_between = is_forward_ ? order_.rank(id) <= order_.rank(goal_)
                                        : order_.rank(id) >= order_.rank(goal_);
    if (is_between && seen_.insert(id).second) {
      nodes_.push_back(id);
      path_.push_back({id});
    }
    return SearchResult::Unfinished;
  }

  const NodeOrder& order_;
  NodeId goal_;
  bool is_forward_;
  std::vector<NodeId> nodes_;
  std::unordered_set<NodeId> seen_;
  std::vector<Visit> path_;
};

NodeOrder::NodeOrder(const std::vector<Node>& nodes,
                     std::span<const NodeId> order)
    : nodes_(nodes), ranks_(nodes.size(), 0), readers_(nodes.size()) {
  for (NodeId id = 0; id < nodes.size(); ++id) {
    for (const NodeId input : nodes[id].inputs) readers_[input].push_back(id);
  }
  rank_all(order);
}

void NodeOrder::rank_all(std::span<const NodeId> order) {
  for (const NodeId id : order) rank_after_inputs(id);
}

void NodeOrder::rank_after_inputs(NodeId id) {
  ranks_[id] = 0;
  for (const NodeId input : nodes_[id].inputs) {
    ranks_[id] = std::max(ranks_[id], ranks_[input] + kRankGap);
  }
}

// The new ranks follow the old order, which a stable sort by rank restores.
void NodeOrder::spread_ranks() {
  std::vector<NodeId> order(ranks_.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return ranks_[id]; });
  rank_all(order);
}

bool NodeOrder::admit(NodeId from, NodeId to) {
  if (ranks_[from] < ranks_[to]) return true;
  if (from == to) return false;
  // `from` is ranked at or after `to`. Either everything that `from` depends on
  // (above the rank of `to`) moves before `to`, or everything that depends on
  // `to` moves after `from`. Searching both sides in turn costs about twice the
  // smaller side.
  Search sources(*this, from, to, false);
  Search readers(*this, to, from, true);
  bool is_moved = false;
  while (true) {
    const SearchResult before = sources.advance();
    if (before == SearchResult::FoundGoal) return false;
    if (before == SearchResult::Complete) {
      is_moved = move_before(sources, to);
      break;
    }
    const SearchResult after = readers.advance();
    if (after == SearchResult::FoundGoal) return false;
    if (after == SearchResult::Complete) {
      is_moved = move_after(readers, from);
      break;
    }
  }
  if (is_moved) return true;
  // No integers are left between two ranks: widen all gaps and try again.
  spread_ranks();
  return admit(from, to);
}

bool NodeOrder::move_before(const Search& sources, NodeId to) {
  const std::int64_t high = ranks_[to];
  const auto count = static_cast<std::int64_t>(sources.nodes().size());
  // The moved nodes must stay after the inputs that do not move.
  std::optional<std::int64_t> low;
  for (const NodeId id : sources.nodes()) {
    for (const NodeId input : sources.neighbours(id)) {
      if (sources.contains(input)) continue;
      low = std::max(low.value_or(ranks_[input]), ranks_[input]);
    }
  }
  return move(sources.nodes(), low.value_or(high - (count + 1) * kRankGap),
              high);
}

bool NodeOrder::move_after(const Search& readers, NodeId from) {
  const std::int64_t low = ranks_[from];
  const auto count = static_cast<std::int64_t>(readers.nodes().size());
  // The moved nodes must stay before the readers that do not move.
  std::optional<std::int64_t> high;
  for (const NodeId id : readers.nodes()) {
    for (const NodeId reader : readers.neighbours(id)) {
      if (readers.contains(reader)) continue;
      high = std::min(high.value_or(ranks_[reader]), ranks_[reader]);
    }
  }
  return move(readers.nodes(), low,
              high.value_or(low + (count + 1) * kRankGap));
}

bool NodeOrder::move(std::vector<NodeId> moved, std::int64_t low,
                     std::int64_t high) {
  const std::int64_t step =
      (high - low) / (static_cast<std::int64_t>(moved.size()) + 1);
  if (step == 0) return false;
  std::ranges::sort(moved, {}, [&](NodeId id) { return ranks_[id]; });
  for (const NodeId id : moved) ranks_[id] = low += step;
  return true;
}

void NodeOrder::add_node(NodeId id) {
  if (id >= ranks_.size()) {
    ranks_.resize(id + 1, 0);
    readers_.resize(id + 1);
  }
  rank_after_inputs(id);
  replace_inputs(id, {}, nodes_[id].inputs);
}

void NodeOrder::remove_node(NodeId id) {
  replace_inputs(id, nodes_[id].inputs, {});
}

void NodeOrder::replace_inputs(NodeId id, std::span<const NodeId> before,
                               std::span<const NodeId> after) {
  // Usually only one input differs, so skip the common beginning and end.
  while (!before.empty() && !after.empty() && before[0] == after[0]) {
    before = before.subspan(1);
    after = after.subspan(1);
  }
  while (!before.empty() && !after.empty() && before.back() == after.back()) {
    before = before.first(before.size() - 1);
    after = after.first(after.size() - 1);
  }
  for (const NodeId input : before) {
    auto& readers = readers_[input];
    const auto found = std::find(readers.rbegin(), readers.rend(), id);
    ENSURE(found != readers.rend(), "the order knows all readers of a node");
    *found = readers.back();
    readers.pop_back();
  }
  for (const NodeId input : after) readers_[input].push_back(id);
}

}  // namespace lamarck
