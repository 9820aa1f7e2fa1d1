// A formula without its words: nodes that point to earlier nodes.
//
// Equal subexpressions are one node, so a graph rather than a tree. The last
// node is the result.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lamarck/formula/formula_operation.h"

namespace lamarck::formula {

using NodeIndex = std::uint32_t;

struct Node {
  Op op = Op::Constant;
  std::uint32_t index = 0;               // Which input or param.
  double value = 0;                      // Of a constant.
  std::array<NodeIndex, 3> arguments{};  // As many as the operation takes.

  // Bit by bit: a NaN equals itself, 0 differs from -0.
  friend bool operator==(const Node& a, const Node& b) {
    return a.op == b.op && a.index == b.index && a.arguments == b.arguments &&
           std::bit_cast<std::uint64_t>(a.value) ==
               std::bit_cast<std::uint64_t>(b.value);
  }
};

// How many of its arguments are used.
inline std::size_t arity_of(const Node& node) {
  return static_cast<std::size_t>(operation(node.op).arity);
}

// Immutable.
class Expression {
 public:
  // The constant 0.
  Expression();

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& root() const { return nodes_.back(); }

  // How many inputs and params it needs: the highest index and one.
  std::size_t input_count() const { return input_count_; }
  std::size_t param_count() const { return param_count_; }
  // Nodes as a tree, with shared ones counted each time: what a reader sees. At
  // most the highest number, which stands for all above it.
  std::size_t size() const { return size_; }
  std::size_t depth() const { return depth_; }

  // The same for expressions that have the same nodes, whatever their order.
  std::uint64_t hash() const { return hash_; }

  friend bool operator==(const Expression& a, const Expression& b) {
    return a.nodes_ == b.nodes_;
  }

 private:
  friend class ExpressionBuilder;
  std::vector<Node> nodes_;
  std::size_t input_count_ = 0;
  std::size_t param_count_ = 0;
  std::size_t size_ = 1;
  std::size_t depth_ = 1;
  std::uint64_t hash_ = 0;
};

// Grows an expression from its leaves. Owned by one thread.
class ExpressionBuilder {
 public:
  NodeIndex constant(double value);  // All NaNs are one.
  NodeIndex input(std::uint32_t index);
  NodeIndex param(std::uint32_t index);
  // REQUIRES: as many arguments as the operation takes.
  NodeIndex apply(Op op, NodeIndex a);
  NodeIndex apply(Op op, NodeIndex a, NodeIndex b);
  NodeIndex apply(Op op, NodeIndex a, NodeIndex b, NodeIndex c);
  // All of `other`, with its inputs and params replaced by these nodes; where a
  // list is too short the leaf stays as it is. Returns its root.
  NodeIndex append(const Expression& other, std::span<const NodeIndex> inputs,
                   std::span<const NodeIndex> params);

  const Node& node(NodeIndex index) const { return nodes_[index]; }
  std::size_t node_count() const { return nodes_.size(); }

  // Only what `root` needs, in an order that depends on its structure alone.
  Expression finish(NodeIndex root) const;

 private:
  struct NodeHash {
    std::size_t operator()(const Node& node) const;
  };
  NodeIndex add(const Node& node);

  std::vector<Node> nodes_;
  std::unordered_map<Node, NodeIndex, NodeHash> known_;
};

}  // namespace lamarck::formula
