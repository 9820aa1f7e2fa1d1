// Reading and editing the nodes and edges of a graph.

#include <algorithm>
#include <utility>

#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/changed_shapes.h"
#include "lamarck/graph/internal/error_place.h"
#include "lamarck/graph/internal/graph_error.h"
#include "lamarck/graph/internal/graph_state.h"
#include "lamarck/graph/internal/node_order.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {
namespace {

// Returns "node 5 ('loss') (mean)".
std::string describe(NodeId id, const Node& node) {
  std::string text = "node " + std::to_string(id);
  if (!node.name.empty()) text += " ('" + node.name + "')";
  if (!node.is_leaf()) text += " (" + std::string(node.operation->name) + ")";
  return text;
}

}  // namespace

std::vector<NodeId> GraphState::consumers_of(NodeId id) const {
  std::vector<NodeId> found;
  for (NodeId at = 0; at < nodes.size(); ++at) {
    if (!nodes[at].is_removed && std::ranges::count(nodes[at].inputs, id) > 0) {
      found.push_back(at);
    }
  }
  return found;
}

// Kahn's algorithm: a node is ready once all its inputs are ordered.
std::vector<NodeId> GraphState::topological_order() const {
  std::vector<std::size_t> waiting(nodes.size(), 0);
  std::vector<std::vector<NodeId>> consumers(nodes.size());
  std::vector<NodeId> order;
  std::size_t expected = 0;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    if (nodes[id].is_removed) continue;
    ++expected;
    waiting[id] = nodes[id].inputs.size();
    for (const NodeId input : nodes[id].inputs) consumers[input].push_back(id);
    if (waiting[id] == 0) order.push_back(id);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const NodeId consumer : consumers[order[at]]) {
      if (--waiting[consumer] == 0) order.push_back(consumer);
    }
  }
  if (order.size() == expected) return order;
  throw_graph_error(ErrorCode::InvalidArgument, "cycle",
                    "This edge would close a cycle; use a memory and "
                    "add_recurrent_edge instead.");
}

std::vector<std::optional<Shape>> GraphState::inferred_shapes(
    std::exception_ptr* first_failure) const {
  std::vector<std::optional<Shape>> shapes(nodes.size());
  for (const NodeId id : topological_order()) {
    const Node& node = nodes[id];
    if (node.is_leaf()) {
      shapes[id] = node.value.shape();
      continue;
    }
    std::vector<Shape> inputs;
    for (const NodeId input : node.inputs) {
      if (shapes[input]) inputs.push_back(*shapes[input]);
    }
    if (inputs.size() < node.inputs.size()) continue;
    try {
      shapes[id] = with_error_place(*this, node, id, [&] {
        return node.operation->shape(*node.operation, inputs, node.attributes);
      });
    } catch (const LogicError&) {
      if (first_failure != nullptr && !*first_failure) {
        *first_failure = std::current_exception();
      }
    }
  }
  return shapes;
}

void GraphState::set_shapes(const std::vector<std::optional<Shape>>& shapes) {
  has_current_shapes = true;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    if (shapes[id]) nodes[id].shape = *shapes[id];
    has_current_shapes &= shapes[id].has_value() || nodes[id].is_removed;
  }
}

void GraphState::replace_inputs(NodeId id, std::vector<NodeId> inputs) {
  // The local way is fast but cannot say what is wrong with an invalid edit.
  // The global way recomputes everything and throws the error.
  if (!replace_inputs_locally(id, inputs)) {
    replace_inputs_globally(id, std::move(inputs));
  }
  topology_changed();
}

bool GraphState::replace_inputs_locally(NodeId id,
                                        const std::vector<NodeId>& inputs) {
  if (!has_current_shapes) return false;
  if (!node_order) {
    node_order = std::make_unique<NodeOrder>(nodes, topological_order());
  }
  for (const NodeId input : inputs) {
    if (!node_order->admit(input, id)) return false;
  }
  const auto shapes = find_changed_shapes(*this, *node_order, id, inputs);
  if (!shapes) return false;
  node_order->replace_inputs(id, nodes[id].inputs, inputs);
  nodes[id].inputs = inputs;
  for (const auto& [changed, shape] : *shapes) nodes[changed].shape = shape;
  return true;
}

void GraphState::replace_inputs_globally(NodeId id,
                                         std::vector<NodeId> inputs) {
  // Nodes that have no shape even before the edit (batches of different sizes
  // meet there) are not the fault of this edit.
  const auto before = inferred_shapes();
  std::swap(nodes[id].inputs, inputs);
  try {
    std::exception_ptr failure;
    const auto after = inferred_shapes(&failure);
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (before[i] && !after[i]) std::rethrow_exception(failure);
    }
    set_shapes(after);
  } catch (...) {
    std::swap(nodes[id].inputs, inputs);
    throw;
  }
  node_order.reset();
}

void GraphState::remove_node(NodeId id) {
  Node& node = nodes[id];
  if (node_order) node_order->remove_node(id);
  if (!node.name.empty()) names.erase(node.name);
  // Keep what existing Vars need to detect that their node is gone.
  const std::size_t handles = node.handles;
  const std::uint64_t serial = node.serial;
  node = Node();
  node.handles = handles;
  node.serial = serial;
  node.is_removed = true;
  ++removed_count;
  plans.erase(id);
  topology_changed();
}

void GraphState::forget_plans_beyond(NodeId count) {
  std::erase_if(plans, [&](const auto& entry) { return entry.first >= count; });
  for (auto& [target, candidates] : plans) {
    std::erase_if(candidates, [&](const std::shared_ptr<Plan>& plan) {
      return plan->largest_node() >= count;
    });
  }
}

std::vector<NodeId> Graph::node_ids() const {
  std::vector<NodeId> ids;
  for (NodeId id = 0; id < state_->nodes.size(); ++id) {
    if (!state_->nodes[id].is_removed) ids.push_back(id);
  }
  return ids;
}

Var Graph::node(NodeId id) const {
  // A plan that was compiled while no Var referred to the node does not keep
  // its value, so plans must check again.
  const Node& node = state_->node(id);
  if (!node.is_leaf() && node.handles == 0) state_->gradient_flow_changed();
  return {state_, id};
}

std::vector<Var> Graph::inputs_of(const Var& node) const {
  require_own(node, "inputs_of");
  std::vector<Var> inputs;
  for (const NodeId id : state_->node(node.node_id()).inputs) {
    inputs.push_back(this->node(id));
  }
  return inputs;
}

std::vector<Var> Graph::consumers_of(const Var& node) const {
  require_own(node, "consumers_of");
  std::vector<Var> consumers;
  static_cast<void>(state_->node(node.node_id()));
  for (const NodeId id : state_->consumers_of(node.node_id())) {
    consumers.push_back(this->node(id));
  }
  return consumers;
}

void Graph::set_input(const Var& node, std::size_t index,
                      const Var& input) const {
  require_own(node, "set_input");
  require_own(input, "set_input");
  std::vector<NodeId> inputs = state_->node(node.node_id()).inputs;
  if (index >= inputs.size()) {
    throw_graph_error(
        ErrorCode::NotFound, "edge_not_found",
        "set_input: " + describe(node.node_id(), state_->node(node.node_id())) +
            " has " + std::to_string(inputs.size()) + " inputs, so index " +
            std::to_string(index) + " is out of range.");
  }
  static_cast<void>(state_->node(input.node_id()));
  inputs[index] = input.node_id();
  state_->replace_inputs(node.node_id(), std::move(inputs));
}

void Graph::add_edge(const Var& from, const Var& to) const {
  require_own(from, "add_edge");
  require_own(to, "add_edge");
  const Node& node = state_->node(to.node_id());
  static_cast<void>(state_->node(from.node_id()));
  std::vector<NodeId> inputs = node.inputs;
  if (node.is_leaf() || inputs.size() >= node.operation->max_inputs) {
    throw_graph_error(ErrorCode::InvalidArgument, "no_more_inputs",
                      "add_edge: " + describe(to.node_id(), node) +
                          " takes no more inputs; combine them with total() or "
                          "concat() first, or use set_input.");
  }
  if (std::ranges::count(inputs, from.node_id()) > 0) {
    throw_graph_error(ErrorCode::AlreadyExists, "connection_exists",
                      "add_edge: " + describe(to.node_id(), node) +
                          " already reads node " +
                          std::to_string(from.node_id()) + ".");
  }
  inputs.push_back(from.node_id());
  state_->replace_inputs(to.node_id(), std::move(inputs));
}

void Graph::remove_edge(const Var& from, const Var& to) const {
  require_own(from, "remove_edge");
  require_own(to, "remove_edge");
  const Node& node = state_->node(to.node_id());
  std::vector<NodeId> inputs = node.inputs;
  const auto found = std::ranges::find(inputs, from.node_id());
  if (found == inputs.end()) {
    throw_graph_error(ErrorCode::NotFound, "edge_not_found",
                      "remove_edge: " + describe(to.node_id(), node) +
                          " does not read node " +
                          std::to_string(from.node_id()) + ".");
  }
  if (inputs.size() <= node.operation->min_inputs) {
    throw_graph_error(ErrorCode::FailedPrecondition, "too_few_inputs",
                      "remove_edge: " + describe(to.node_id(), node) +
                          " needs all its inputs; use set_input to replace "
                          "one.");
  }
  inputs.erase(found);
  state_->replace_inputs(to.node_id(), std::move(inputs));
}

void Graph::remove(const Var& node) const {
  require_own(node, "remove");
  const NodeId id = node.node_id();
  const Node& removed = state_->node(id);
  for (NodeId at = 0; at < state_->nodes.size(); ++at) {
    const Node& other = state_->nodes[at];
    if (other.is_removed) continue;
    if (std::ranges::count(other.inputs, id) > 0 || other.source == id) {
      throw_graph_error(ErrorCode::FailedPrecondition, "in_use",
                        "remove: " + describe(id, removed) + " is read by " +
                            describe(at, other) +
                            "; remove that node or change its input first.");
    }
  }
  state_->remove_node(id);
}

}  // namespace lamarck
