#include "lamarck/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/log.h"
#include "lamarck/base/named_entry.h"
#include "lamarck/graph/internal/error_place.h"
#include "lamarck/graph/internal/graph_error.h"
#include "lamarck/graph/internal/graph_state.h"
#include "lamarck/graph/internal/node_order.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {
namespace {

// The number of plans kept for each target, for different shapes and kinds.
constexpr std::size_t kPlansPerTarget = 8;

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void require_free(const std::map<std::string, NodeId, std::less<>>& names,
                  const std::string& name) {
  if (name.empty() || !names.contains(name)) return;
  throw_graph_error(ErrorCode::AlreadyExists, "duplicate_name",
                    "The graph already has a node named '" + name +
                        "'; choose another name.");
}

}  // namespace

Tensor& Node::own_value() {
  if (is_value_shared && !value.is_sole_owner()) value = value.clone();
  is_value_shared = false;
  return value;
}

GraphState::GraphState(std::uint64_t seed)
    : identity(next_identity()), rng(seed) {}
GraphState::~GraphState() = default;

Node& GraphState::node(NodeId id) {
  return const_cast<Node&>(std::as_const(*this).node(id));
}

const Node& GraphState::node(NodeId id) const {
  if (id >= nodes.size() || nodes[id].is_removed) {
    throw_graph_error(ErrorCode::NotFound, "node_not_found",
                      "The graph has no node " + std::to_string(id) +
                          ": it was removed or never created.");
  }
  return nodes[id];
}

NodeId GraphState::add_node(Node node) {
  node.serial = ++last_serial;
  if (removed_count > 0) {
    // Reuse the slot of a removed node that no Var refers to any more.
    for (NodeId id = 0; id < nodes.size(); ++id) {
      if (!nodes[id].is_removed || nodes[id].handles > 0) continue;
      --removed_count;
      nodes[id] = std::move(node);
      if (node_order) node_order->add_node(id);
      topology_changed();
      return id;
    }
  }
  nodes.push_back(std::move(node));
  if (node_order) node_order->add_node(nodes.size() - 1);
  return nodes.size() - 1;
}

NodeId GraphState::add_leaf(const Tensor& value, const std::string& name) {
  require_free(names, name);
  Node node;
  node.name = name;
  node.value = value.clone();
  node.shape = value.shape();
  const NodeId id = add_node(std::move(node));
  if (!name.empty()) names.emplace(name, id);
  return id;
}

void GraphState::set_name(NodeId id, const std::string& name) {
  Node& named = node(id);
  if (named.name == name) return;
  require_free(names, name);
  if (!named.name.empty()) names.erase(named.name);
  named.name = name;
  if (!name.empty()) names.emplace(name, id);
}

NodeId GraphState::add_operation(const Operation& operation,
                                 std::vector<NodeId> inputs,
                                 const Attributes& attributes) {
  REQUIRE(inputs.size() >= operation.min_inputs &&
              inputs.size() <= operation.max_inputs,
          "{}: the number of inputs must be between {} and {}, got {}.",
          operation.name, operation.min_inputs, operation.max_inputs,
          inputs.size());
  std::vector<Shape> shapes;
  for (const NodeId input : inputs) shapes.push_back(node(input).shape);
  Node node;
  node.operation = &operation;
  node.inputs = std::move(inputs);
  node.attributes = attributes;
  node.is_detached = !is_gradient_enabled;
  node.shape = with_error_place(*this, node, std::nullopt, [&] {
    return operation.shape(operation, shapes, attributes);
  });
  return add_node(std::move(node));
}

void GraphState::set_value(NodeId id, const Tensor& value) {
  Node& leaf = node(id);
  if (!leaf.is_leaf()) {
    throw_graph_error(ErrorCode::InvalidArgument, "not_a_leaf",
                      "set_value: this node is computed by '" +
                          std::string(leaf.operation->name) +
                          "'; set one of its inputs instead.");
  }
  if (leaf.is_parameter && !(leaf.value.shape() == value.shape())) {
    throw_shape_mismatch("set_value", leaf.value.shape(), value.shape(),
                         "a parameter cannot change its shape");
  }
  if (leaf.value.shape() == value.shape()) {
    leaf.own_value().assign(value);
  } else {
    leaf.value = value.clone();
    leaf.shape = value.shape();
    has_current_shapes = false;
  }
  if (leaf.is_memory) {
    leaf.initial = value.clone();
    note_memory_set(id);
  }
  parameter_changes += leaf.is_parameter ? 1 : 0;
  ++pass;
}

void GraphState::note_memory_set(NodeId id) {
  if (!history.empty()) history[history.size() - 1].set_after.push_back(id);
}

std::shared_ptr<Plan>& GraphState::plan_for(NodeId id, PlanKind kind) {
  auto& candidates = plans[id];
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i]->kind() == kind && candidates[i]->fits(*this)) {
      // Move to front: the plan used last is tried first and evicted last.
      std::rotate(candidates.begin(),
                  candidates.begin() + static_cast<std::ptrdiff_t>(i),
                  candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return candidates.front();
    }
  }
  auto plan = std::make_shared<Plan>(*this, id, kind, ++plans_compiled);
  candidates.insert(candidates.begin(), std::move(plan));
  if (candidates.size() > kPlansPerTarget) candidates.pop_back();
  return candidates.front();
}

void GraphState::forward(NodeId id) {
  if (node(id).is_leaf()) return;
  // Gradients start at a scalar, so any other target needs no training plan.
  const bool is_training =
      is_gradient_enabled && node(id).shape.element_count() == 1;
  plan_for(id, is_training ? PlanKind::Training : PlanKind::Inference)
      ->forward(*this);
  if (!is_training) notice_growth(false);
}

float GraphState::backward(NodeId id, bool retain_graph) {
  if (!is_gradient_enabled) {
    throw_graph_error(
        ErrorCode::FailedPrecondition, "no_grad",
        "backward: gradients are off inside no_grad; call backward() "
        "outside.");
  }
  if (node(id).is_leaf()) {
    throw_graph_error(ErrorCode::InvalidArgument, "not_computed",
                      "backward: this node is an input or a parameter; call "
                      "backward() on a loss.");
  }
  if (node(id).is_detached) {
    throw_graph_error(ErrorCode::FailedPrecondition, "detached",
                      "backward: this node is detached, so no gradient can "
                      "start here; call attach() first.");
  }
  Plan& plan = *plan_for(id, PlanKind::Training);
  if (plan.computed_pass() != pass) plan.forward(*this);
  if (nodes[id].shape.element_count() != 1) {
    throw_invalid_shape("backward", nodes[id].shape,
                        "it must start at one element; call sum() or mean() "
                        "first");
  }
  if (plan.consumed_pass() == pass) {
    throw_graph_error(
        ErrorCode::FailedPrecondition, "graph_consumed",
        "backward: it already ran in this pass; call forward() again, or "
        "pass retain_graph = true to the first call.");
  }
  ++backward_count_;
  notice_nan(plan);
  plan.backward(*this);
  if (!retain_graph) plan.set_consumed(pass);
  notice_growth(true);
  return plan.target_value();
}

// Warns once about the common mistake of building the expression inside the
// loop, which makes the graph grow without bound. A loop may run several
// targets before it grows the graph again.
void GraphState::notice_growth(bool is_backward) {
  constexpr int kSuspicious = 100;
  // Without gradients, a program that computes each node as it builds it is
  // fine; a thousand in a row are a loop.
  constexpr int kSuspiciousForward = 1000;
  constexpr int kRunsPerGrowth = 8;
  if (has_warned_of_growth_) return;
  const bool has_grown =
      nodes_at_last_run_ > 0 && nodes.size() > nodes_at_last_run_;
  nodes_at_last_run_ = nodes.size();
  runs_since_growth_ = has_grown ? 0 : runs_since_growth_ + 1;
  growths_ = has_grown                             ? growths_ + 1
             : runs_since_growth_ < kRunsPerGrowth ? growths_
                                                   : 0;
  if (growths_ < (is_backward ? kSuspicious : kSuspiciousForward)) return;
  has_warned_of_growth_ = true;
  log_warning(fmt::format(
      "A graph has grown in each of its last {} {} passes; build the "
      "expression "
      "once, before the loop, and change its inputs with set_value.",
      growths_, is_backward ? "backward" : "forward"));
}

void GraphState::notice_nan(Plan& plan) {
  if (has_warned_of_nan_ || !std::isnan(plan.target_value())) return;
  has_warned_of_nan_ = true;
  const std::optional<NodeId> first = plan.first_nan(*this);
  if (!first) return;
  const Node& node = nodes[*first];
  log_warning(fmt::format(
      "The loss is NaN since backward pass {}; NaN first appears in node {}{} "
      "({}).",
      backward_count_, *first, node.name.empty() ? "" : " '" + node.name + "'",
      node.is_leaf() ? (node.is_parameter ? "a parameter" : "an input")
                     : "the result of " + std::string(node.operation->name)));
}

Graph::Graph(std::uint64_t seed) : state_(std::make_shared<GraphState>(seed)) {}
Graph::Graph(std::shared_ptr<GraphState> state) : state_(std::move(state)) {}

void Graph::require_own(const Var& var, std::string_view function) const {
  if (var.state_ == state_) {
    static_cast<void>(var.checked());
    return;
  }
  throw_graph_error(ErrorCode::InvalidArgument, "graph_mismatch",
                    std::string(function) + ": node " +
                        std::to_string(var.node_id()) +
                        " belongs to another graph; all nodes must belong to "
                        "this one.");
}

Var Graph::input(const Tensor& value) const { return input_named(value, ""); }

Var Graph::input_named(const Tensor& value, const std::string& name) const {
  return {state_, state_->add_leaf(value, name)};
}

Var Graph::zeros(const Shape& shape) const {
  return input(Tensor::zeros(shape));
}
Var Graph::ones(const Shape& shape) const { return input(Tensor::ones(shape)); }
Var Graph::rand(const Shape& shape) const {
  return input(Tensor::rand(shape, state_->rng));
}
Var Graph::randn(const Shape& shape) const {
  return input(Tensor::randn(shape, state_->rng));
}
Var Graph::uniform(const Shape& shape, float low, float high) const {
  return input(Tensor::uniform(shape, low, high, state_->rng));
}
Var Graph::normal(const Shape& shape, float mean, float deviation) const {
  return input(Tensor::normal(shape, mean, deviation, state_->rng));
}
Var Graph::constant(const Tensor& value) const {
  Var var = input(value);
  state_->node(var.node_id()).is_constant = true;
  return var;
}

Var Graph::parameter(const Shape& shape, Init init,
                     const std::string& name) const {
  const NodeId id = state_->add_leaf(init.generate(shape, state_->rng), name);
  state_->nodes[id].is_parameter = true;
  state_->nodes[id].requires_gradient = true;
  return {state_, id};
}

std::vector<Var> Graph::parameters() const {
  std::vector<Var> found;
  for (NodeId id = 0; id < state_->nodes.size(); ++id) {
    const Node& node = state_->nodes[id];
    if (node.is_parameter && !node.is_removed) {
      found.push_back(Var(state_, id));
    }
  }
  return found;
}

std::vector<Var> Graph::buffers() const {
  std::vector<Var> found;
  for (const Node& node : state_->nodes) {
    if (node.is_removed || node.is_leaf()) continue;
    for (std::size_t i = 0; node.operation->updated_inputs >> i != 0; ++i) {
      if ((node.operation->updated_inputs >> i & 1) == 0) continue;
      const auto is_same = [&](const Var& each) {
        return each.node_id() == node.inputs[i];
      };
      if (std::ranges::any_of(found, is_same)) continue;
      found.push_back(Var(state_, node.inputs[i]));
    }
  }
  return found;
}

Var Graph::named(std::string_view name) const {
  const auto found = state_->names.find(name);
  if (found != state_->names.end()) return node(found->second);
  std::vector<std::string> names;
  for (const auto& [known, id] : state_->names) names.push_back(known);
  throw_unknown_name("node", name, names);
}

Graph::GradientsOff::GradientsOff(const Graph& graph)
    : state_(graph.state_), before_(state_->is_gradient_enabled) {
  state_->is_gradient_enabled = false;
}
Graph::GradientsOff::~GradientsOff() { state_->is_gradient_enabled = before_; }

void Graph::zero_grad() const {
  for (Node& node : state_->nodes) {
    if (node.is_parameter) node.has_gradient = false;
  }
}

void Graph::set_threads(std::size_t threads) const {
  state_->workers =
      threads == 1 ? nullptr : std::make_shared<ThreadPool>(threads);
}

std::size_t Graph::node_count() const {
  return state_->nodes.size() - state_->removed_count;
}

std::int64_t Graph::parameter_count() const {
  std::int64_t count = 0;
  for (const Node& node : state_->nodes) {
    if (node.is_parameter && !node.is_removed) {
      count += node.value.element_count();
    }
  }
  return count;
}

std::size_t Graph::plan_count() const { return state_->plans_compiled; }

}  // namespace lamarck
