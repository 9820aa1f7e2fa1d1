#include "lamarck/formula/expression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/formula/internal/mixed_hash.h"

namespace lamarck::formula {
namespace {

constexpr NodeIndex kUnassigned = std::numeric_limits<NodeIndex>::max();

// Hashes the node without its arguments.
std::uint64_t leaf_hash(const Node& node) {
  std::uint64_t hash = mixed_hash(0, static_cast<std::uint64_t>(node.op));
  hash = mixed_hash(hash, node.index);
  return mixed_hash(hash, std::bit_cast<std::uint64_t>(node.value));
}

std::span<const NodeIndex> arguments_of(const Node& node) {
  const auto arity = static_cast<std::size_t>(operation(node.op).arity);
  return std::span(node.arguments).first(arity);
}

std::size_t saturating_add(std::size_t a, std::size_t b) {
  const std::size_t sum = a + b;
  return sum < a ? std::numeric_limits<std::size_t>::max() : sum;
}

// Properties of a subexpression, computed from its arguments.
struct Measure {
  std::size_t size = 1;
  std::size_t depth = 1;
  std::uint64_t hash = 0;
};

Measure measure(const Node& node, std::span<const Measure> earlier) {
  Measure result{.hash = leaf_hash(node)};
  for (const NodeIndex argument : arguments_of(node)) {
    const Measure& of_argument = earlier[argument];
    result.size = saturating_add(result.size, of_argument.size);
    result.depth = std::max(result.depth, of_argument.depth + 1);
    result.hash = mixed_hash(result.hash, of_argument.hash);
  }
  return result;
}

// The nodes that `root` depends on, arguments first and from left to right.
// Iterative, because expressions may be too deep for the call stack.
std::vector<NodeIndex> post_order(std::span<const Node> nodes, NodeIndex root) {
  std::vector<NodeIndex> order;
  std::vector<std::uint8_t> is_done(nodes.size(), 0);
  std::vector<NodeIndex> stack = {root};
  while (!stack.empty()) {
    const NodeIndex top = stack.back();
    const std::size_t before = stack.size();
    const auto arguments = arguments_of(nodes[top]);
    for (auto it = arguments.rbegin(); it != arguments.rend(); ++it) {
      if (is_done[*it] == 0) stack.push_back(*it);
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    if (is_done[top] == 0) order.push_back(top);
    is_done[top] = 1;
  }
  return order;
}

}  // namespace

Expression::Expression() : nodes_(1), hash_(measure(Node(), {}).hash) {}

std::size_t ExpressionBuilder::NodeHash::operator()(const Node& node) const {
  std::uint64_t hash = leaf_hash(node);
  for (const NodeIndex argument : node.arguments)
    hash = mixed_hash(hash, argument);
  return hash;
}

NodeIndex ExpressionBuilder::add(const Node& node) {
  const auto next = static_cast<NodeIndex>(nodes_.size());
  // Hash consing: an equal node is reused, so shared parts are stored once.
  const auto [place, is_new] = known_.try_emplace(node, next);
  if (is_new) nodes_.push_back(node);
  return place->second;
}

NodeIndex ExpressionBuilder::constant(double value) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return add({.op = Op::Constant, .value = std::isnan(value) ? kNaN : value});
}

NodeIndex ExpressionBuilder::input(std::uint32_t index) {
  return add({.op = Op::Input, .index = index});
}

NodeIndex ExpressionBuilder::param(std::uint32_t index) {
  return add({.op = Op::Param, .index = index});
}

NodeIndex ExpressionBuilder::apply(Op op, NodeIndex a) {
  REQUIRE(operation(op).arity == 1 && a < nodes_.size(),
          "ExpressionBuilder::apply: '{}' takes {} arguments that must be "
          "below node_count {}, got 1 argument: {}.",
          operation(op).name, operation(op).arity, nodes_.size(), a);
  return add({.op = op, .arguments = {a}});
}

NodeIndex ExpressionBuilder::apply(Op op, NodeIndex a, NodeIndex b) {
  REQUIRE(operation(op).arity == 2 && std::max(a, b) < nodes_.size(),
          "ExpressionBuilder::apply: '{}' takes {} arguments that must be "
          "below node_count {}, got 2 arguments: {}, {}.",
          operation(op).name, operation(op).arity, nodes_.size(), a, b);
  return add({.op = op, .arguments = {a, b}});
}

NodeIndex ExpressionBuilder::apply(Op op, NodeIndex a, NodeIndex b,
                                   NodeIndex c) {
  REQUIRE(operation(op).arity == 3 && std::max({a, b, c}) < nodes_.size(),
          "ExpressionBuilder::apply: '{}' takes {} arguments that must be "
          "below node_count {}, got 3 arguments: {}, {}, {}.",
          operation(op).name, operation(op).arity, nodes_.size(), a, b, c);
  return add({.op = op, .arguments = {a, b, c}});
}

NodeIndex ExpressionBuilder::append(const Expression& other,
                                    std::span<const NodeIndex> inputs,
                                    std::span<const NodeIndex> params) {
  std::vector<NodeIndex> places;
  places.reserve(other.nodes().size());
  for (Node node : other.nodes()) {
    if (node.op == Op::Input && node.index < inputs.size()) {
      places.push_back(inputs[node.index]);
    } else if (node.op == Op::Param && node.index < params.size()) {
      places.push_back(params[node.index]);
    } else {
      const auto arity = arguments_of(node).size();
      for (std::size_t i = 0; i < arity; ++i) {
        node.arguments[i] = places[node.arguments[i]];
      }
      places.push_back(add(node));
    }
  }
  return places.back();
}

Expression ExpressionBuilder::finish(NodeIndex root) const {
  REQUIRE(
      root < nodes_.size(),
      "ExpressionBuilder::finish: root must be below node_count {}, got {}.",
      nodes_.size(), root);
  std::vector<NodeIndex> places(nodes_.size(), kUnassigned);
  std::vector<Measure> measures;
  Expression result;
  result.nodes_.clear();
  for (const NodeIndex old : post_order(nodes_, root)) {
    Node node = nodes_[old];
    const auto arity = arguments_of(node).size();
    for (std::size_t i = 0; i < arity; ++i) {
      node.arguments[i] = places[node.arguments[i]];
    }
    places[old] = static_cast<NodeIndex>(result.nodes_.size());
    if (node.op == Op::Input) {
      result.input_count_ = std::max<std::size_t>(result.input_count_,
                                                  std::size_t{node.index} + 1);
    } else if (node.op == Op::Param) {
      result.param_count_ = std::max<std::size_t>(result.param_count_,
                                                  std::size_t{node.index} + 1);
    }
    measures.push_back(measure(node, measures));
    result.nodes_.push_back(node);
  }
  result.size_ = measures.back().size;
  result.depth_ = measures.back().depth;
  result.hash_ = measures.back().hash;
  return result;
}

}  // namespace lamarck::formula
