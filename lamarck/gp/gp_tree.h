// A small expression as the genetic engine keeps it: nodes in postfix order,
// each knowing how many nodes it spans, so that a subtree is a slice.
//
// Constants are numbers that are fitted; there are no others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/formula_operation.h"

namespace lamarck::gp {

struct GpNode {
  formula::Op op = formula::Op::Constant;
  std::uint16_t input = 0;   // Of Op::Input.
  std::uint16_t length = 1;  // Nodes of the subtree that ends here.
  double value = 0;          // Of Op::Constant.

  friend bool operator==(const GpNode&, const GpNode&) = default;
};

using GpTree = std::vector<GpNode>;

GpTree gp_constant(double value);
GpTree gp_input(std::size_t input);
GpTree gp_apply(formula::Op op, const GpTree& a);
GpTree gp_apply(formula::Op op, const GpTree& a, const GpTree& b);

// The first node of the subtree that ends at `node`.
inline std::size_t first_of(const GpTree& tree, std::size_t node) {
  return node + 1 - tree[node].length;
}
// The last node of the second argument is node - 1; of the first, this.
inline std::size_t first_argument(const GpTree& tree, std::size_t node) {
  return node - 1 - tree[node - 1].length;
}
GpTree subtree(const GpTree& tree, std::size_t node);
// The tree with that subtree replaced.
GpTree replaced(const GpTree& tree, std::size_t node, const GpTree& by);

std::vector<double> constants_of(const GpTree& tree);
std::size_t constant_count(const GpTree& tree);
bool has_input(const GpTree& tree);
// Whether it is one constant and nothing else.
inline bool is_constant(const GpTree& tree) {
  return tree.size() == 1 && tree[0].op == formula::Op::Constant;
}
// Equal for trees that differ in their constants' values alone.
std::uint64_t structure_hash(const GpTree& tree);
// How deeply functions that bend (sin, exp, tanh...) stand within each other.
int nesting(const GpTree& tree);

// Folds constants and pairs of inverse operations, and drops what changes
// nothing. The order of commutative arguments becomes canonical.
GpTree folded(const GpTree& tree);

// Appends the tree to what `builder` has; constants become params from
// `next_param` on, which is advanced, or numbers if it is null.
formula::NodeIndex append_tree(const GpTree& tree,
                               formula::ExpressionBuilder& builder,
                               std::uint32_t* next_param);
// Nothing if an operation is not one of trees (comparisons, where) or it has
// more than `most_nodes`. Params take their values from `params`.
std::optional<GpTree> tree_of(const formula::Expression& expression,
                              std::span<const double> params,
                              std::size_t most_nodes);

}  // namespace lamarck::gp
