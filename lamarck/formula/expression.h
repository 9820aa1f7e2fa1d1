// The body of a formula as a graph: nodes that refer to earlier nodes.
//
// Equal subexpressions share one node. The last node is the result.

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
  std::uint32_t index = 0;               // The input or param.
  double value = 0;                      // For a constant.
  std::array<NodeIndex, 3> arguments{};  // The first `arity` are used.

  // Compares bits: a NaN equals itself, and 0 differs from -0.
  friend bool operator==(const Node& a, const Node& b) {
    return a.op == b.op && a.index == b.index && a.arguments == b.arguments &&
           std::bit_cast<std::uint64_t>(a.value) ==
               std::bit_cast<std::uint64_t>(b.value);
  }
};

// The number of arguments that the node uses.
inline std::size_t arity_of(const Node& node) {
  return static_cast<std::size_t>(operation(node.op).arity);
}

// Immutable, so threads may share it.
class Expression {
 public:
  // The constant 0.
  Expression();

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& root() const { return nodes_.back(); }

  // The number of inputs and params it needs: the highest index plus 1.
  std::size_t input_count() const { return input_count_; }
  std::size_t param_count() const { return param_count_; }
  // The number of nodes if written as a tree, with shared nodes counted each
  // time. Saturates at the largest std::size_t.
  std::size_t size() const { return size_; }
  std::size_t depth() const { return depth_; }

  // Equal for expressions of the same structure, whatever the order in which
  // they were built.
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

// Builds an expression from its leaves up. Thread safety: owned by one thread.
class ExpressionBuilder {
 public:
  NodeIndex constant(double value);  // All NaNs share a node.
  NodeIndex input(std::uint32_t index);
  NodeIndex param(std::uint32_t index);
  // REQUIRES: the operation takes this number of arguments; all of them exist.
  NodeIndex apply(Op op, NodeIndex a);
  NodeIndex apply(Op op, NodeIndex a, NodeIndex b);
  NodeIndex apply(Op op, NodeIndex a, NodeIndex b, NodeIndex c);
  // Adds all of `other`, with its inputs and params replaced by the given
  // nodes. Leaves beyond the end of a list are kept. Returns the root.
  NodeIndex append(const Expression& other, std::span<const NodeIndex> inputs,
                   std::span<const NodeIndex> params);

  const Node& node(NodeIndex index) const { return nodes_[index]; }
  std::size_t node_count() const { return nodes_.size(); }

  // Returns the expression with only the nodes that `root` needs, in an order
  // that depends on the structure alone. REQUIRES: root < node_count().
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
