// Snapshots of a graph, and copies of it. Tensors are shared copy-on-write.

#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_state.h"
#include "lamarck/graph/internal/node_order.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {

struct GraphSnapshot::Contents {
  std::uint64_t owner = 0;  // GraphState::identity.
  std::vector<Node> nodes;
  std::size_t removed_count = 0;
  std::map<std::string, NodeId, std::less<>> names;
  Rng rng;
  std::uint64_t runs = 0;
  std::uint64_t topology = 0;
};

namespace {

// Copies a node without computed values, which belong to a plan. The copy
// shares the value of a leaf, so both sides are marked: the next write copies
// it.
Node without_results(Node& node) {
  node.is_value_shared = true;
  Node copy = node;
  if (!node.is_leaf()) copy.value = Tensor();
  copy.is_computed = false;
  copy.gradient = Tensor();
  copy.has_gradient = false;
  copy.handles = 0;
  return copy;
}

std::vector<Node> without_results(std::vector<Node>& nodes) {
  std::vector<Node> copies;
  copies.reserve(nodes.size());
  for (Node& node : nodes) copies.push_back(without_results(node));
  return copies;
}

}  // namespace

GraphSnapshot Graph::snapshot() const {
  GraphSnapshot snapshot;
  snapshot.contents_ = std::make_shared<const GraphSnapshot::Contents>(
      GraphSnapshot::Contents{state_->identity, without_results(state_->nodes),
                              state_->removed_count, state_->names, state_->rng,
                              state_->runs, state_->topology});
  return snapshot;
}

void Graph::restore(const GraphSnapshot& snapshot) const {
  REQUIRE(snapshot.contents_ != nullptr &&
              snapshot.contents_->owner == state_->identity,
          "Graph::restore: the snapshot must have been taken of this graph.");
  const GraphSnapshot::Contents& past = *snapshot.contents_;
  const std::size_t count = past.nodes.size();
  state_->forget_plans_beyond(count);
  if (state_->nodes.size() < count) state_->nodes.resize(count);
  for (NodeId id = 0; id < count; ++id) {
    Node& node = state_->nodes[id];
    // A Var of a newer node with the same id does not refer to the old node.
    const std::size_t handles =
        node.serial == past.nodes[id].serial ? node.handles : 0;
    node = past.nodes[id];
    node.handles = handles;
  }
  state_->removed_count = past.removed_count;
  // Remove the nodes that were added since. An id that a Var still refers to
  // stays occupied.
  for (NodeId id = count; id < state_->nodes.size(); ++id) {
    Node gone;
    gone.handles = state_->nodes[id].handles;
    gone.serial = state_->nodes[id].serial;
    gone.is_removed = true;
    state_->nodes[id] = std::move(gone);
    ++state_->removed_count;
  }
  while (state_->nodes.size() > count && state_->nodes.back().handles == 0) {
    state_->nodes.pop_back();
    --state_->removed_count;
  }
  // Everything derived from the nodes is stale now. The topology number returns
  // to its old value, so plans compiled before the snapshot are valid again.
  state_->node_order.reset();
  state_->has_current_shapes = false;
  state_->names = past.names;
  state_->rng = past.rng;
  state_->runs = past.runs;
  state_->topology = past.topology;
  state_->gradient_flow_changed();
  state_->shown_plan = 0;
  state_->history.clear();
  ++state_->edits;
  ++state_->parameter_changes;
  ++state_->pass;
}

Graph Graph::clone() const {
  Graph copy;
  copy.state_->nodes = without_results(state_->nodes);
  copy.state_->has_current_shapes = state_->has_current_shapes;
  copy.state_->removed_count = state_->removed_count;
  copy.state_->last_serial = state_->last_serial;
  copy.state_->names = state_->names;
  copy.state_->rng = state_->rng;
  copy.state_->runs = state_->runs;
  return copy;
}

}  // namespace lamarck
