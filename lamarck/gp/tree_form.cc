#include "lamarck/gp/tree_form.h"

#include <algorithm>
#include <array>

#include "lamarck/base/ensure.h"

namespace lamarck::gp {
namespace {

using formula::Op;

void write_node(std::span<const formula::Node> nodes, formula::NodeIndex at,
                Tree& tree) {
  const formula::Node& node = nodes[at];
  tree.push_back({node.op, node.index, node.value});
  const std::size_t count = arity(tree.back().op);
  for (std::size_t i = 0; i < count; ++i) {
    write_node(nodes, node.arguments[i], tree);
  }
}

formula::NodeIndex read_node(std::span<const TreeNode> tree, std::size_t& at,
                             formula::ExpressionBuilder& builder) {
  ENSURE(at < tree.size(), "every operation of a tree has all its arguments");
  const TreeNode& node = tree[at++];
  switch (node.op) {
    case Op::Constant:
      return builder.constant(node.value);
    case Op::Input:
      return builder.input(node.index);
    case Op::Param:
      return builder.param(node.index);
    default:
      break;
  }
  std::array<formula::NodeIndex, 3> arguments{};
  const std::size_t count = arity(node.op);
  for (std::size_t i = 0; i < count; ++i) {
    arguments[i] = read_node(tree, at, builder);
  }
  const auto [a, b, c] = arguments;
  if (count == 1) return builder.apply(node.op, a);
  if (count == 2) return builder.apply(node.op, a, b);
  return builder.apply(node.op, a, b, c);
}

// Advances `at` to the end of the subtree.
std::size_t depth_from(std::span<const TreeNode> tree, std::size_t& at) {
  const std::size_t count = arity(tree[at++].op);
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    deepest = std::max(deepest, depth_from(tree, at));
  }
  return deepest + 1;
}

}  // namespace

Tree to_tree(const formula::Expression& expression) {
  Tree tree;
  tree.reserve(expression.size());
  const auto& nodes = expression.nodes();
  write_node(nodes, static_cast<formula::NodeIndex>(nodes.size() - 1), tree);
  return tree;
}

formula::Expression to_expression(const Tree& tree) {
  formula::ExpressionBuilder builder;
  std::size_t at = 0;
  const formula::NodeIndex root = read_node(tree, at, builder);
  ENSURE(at == tree.size(), "a tree has one root");
  return builder.finish(root);
}

bool is_truth(Op op) {
  switch (op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
      return true;
    default:
      return false;
  }
}

std::size_t subtree_end(std::span<const TreeNode> tree, std::size_t at) {
  // Each node fills one open argument and opens `arity` new ones.
  std::size_t missing = 1;
  while (missing > 0) missing += arity(tree[at++].op) - 1;
  return at;
}

std::vector<std::size_t> argument_places(std::span<const TreeNode> tree,
                                         std::size_t at) {
  std::vector<std::size_t> places(arity(tree[at].op));
  std::size_t next = at + 1;
  for (std::size_t& place : places) {
    place = next;
    next = subtree_end(tree, next);
  }
  return places;
}

Tree subtree(std::span<const TreeNode> tree, std::size_t at) {
  const auto part = tree.subspan(at, subtree_end(tree, at) - at);
  return {part.begin(), part.end()};
}

void append_part(Tree& tree, const Tree& part) {
  tree.insert(tree.end(), part.begin(), part.end());
}

void replace_subtree(Tree& tree, std::size_t at, const Tree& replacement) {
  // A copy, because the replacement may be part of the tree.
  const Tree graft(replacement.begin(), replacement.end());
  const auto begin = tree.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end =
      tree.begin() + static_cast<std::ptrdiff_t>(subtree_end(tree, at));
  tree.insert(tree.erase(begin, end), graft.begin(), graft.end());
}

std::size_t tree_depth(std::span<const TreeNode> tree) {
  std::size_t at = 0;
  return depth_from(tree, at);
}

}  // namespace lamarck::gp
