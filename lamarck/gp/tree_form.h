// An expression as a tree in one vector, in prefix order: each node precedes
// its arguments. Subtrees are contiguous, so they are easy to cut and insert.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/formula_operation.h"

namespace lamarck::gp {

struct TreeNode {
  formula::Op op = formula::Op::Constant;
  std::uint32_t index = 0;  // For an input or param.
  double value = 0;         // For a constant.

  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

// Never empty; the first node is the root.
using Tree = std::vector<TreeNode>;

// Copies shared nodes of the expression once per use, so the tree has
// `expression.size()` nodes.
Tree to_tree(const formula::Expression& expression);
formula::Expression to_expression(const Tree& tree);

inline std::size_t arity(formula::Op op) {
  return static_cast<std::size_t>(formula::operation(op).arity);
}
// Whether the operation returns a truth value: comparisons and logic.
bool is_truth(formula::Op op);

// The index after the last node of the subtree that begins at `at`.
std::size_t subtree_end(std::span<const TreeNode> tree, std::size_t at);
// The indices of the arguments of the node at `at`.
std::vector<std::size_t> argument_places(std::span<const TreeNode> tree,
                                         std::size_t at);
Tree subtree(std::span<const TreeNode> tree, std::size_t at);
void append_part(Tree& tree, const Tree& part);
void replace_subtree(Tree& tree, std::size_t at, const Tree& replacement);
// A leaf has depth 1.
std::size_t tree_depth(std::span<const TreeNode> tree);

}  // namespace lamarck::gp
