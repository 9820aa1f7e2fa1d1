// A small expression of the genetic engine: nodes in postfix order. Each node
// has the length of its subtree, so that a subtree is a contiguous slice.
//
// All constants are fitted; there are no fixed numbers.

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
  std::uint16_t input = 0;   // For Op::Input.
  std::uint16_t length = 1;  // Nodes of the subtree that ends here.
  double value = 0;          // For Op::Constant.

  friend bool operator==(const GpNode&, const GpNode&) = default;
};

using GpTree = std::vector<GpNode>;

GpTree gp_constant(double value);
GpTree gp_input(std::size_t input);
GpTree gp_apply(formula::Op op, const GpTree& a);
GpTree gp_apply(formula::Op op, const GpTree& a, const GpTree& b);

// The index of the first node of the subtree that ends at `node`.
inline std::size_t first_of(const GpTree& tree, std::size_t node) {
  return node + 1 - tree[node].length;
}
// The root of the first argument of a binary node. The root of the second one
// is node - 1.
inline std::size_t first_argument(const GpTree& tree, std::size_t node) {
  return node - 1 - tree[node - 1].length;
}
GpTree subtree(const GpTree& tree, std::size_t node);
// Returns the tree with the subtree at `node` replaced.
GpTree replaced(const GpTree& tree, std::size_t node, const GpTree& by);

std::vector<double> constants_of(const GpTree& tree);
std::size_t constant_count(const GpTree& tree);
bool has_input(const GpTree& tree);
// Whether the tree is a single constant.
inline bool is_constant(const GpTree& tree) {
  return tree.size() == 1 && tree[0].op == formula::Op::Constant;
}
// Equal for trees that differ only in the values of their constants.
std::uint64_t structure_hash(const GpTree& tree);
// How deeply transcendental functions (sin, exp, tanh, ...) and powers are
// nested.
int nesting(const GpTree& tree);

// Folds constants and pairs of inverse operations, and drops operations without
// effect. Puts the arguments of commutative operations in canonical order.
GpTree folded(const GpTree& tree);

// Appends the tree to `builder` and returns its root. Constants become params
// numbered from `*next_param` on, which is advanced; if it is null, they become
// numbers.
formula::NodeIndex append_tree(const GpTree& tree,
                               formula::ExpressionBuilder& builder,
                               std::uint32_t* next_param);
// Returns nullopt if the expression has an operation that trees do not support
// (comparisons, logic, where) or more than `max_nodes` nodes. Params get their
// values from `params`, or 1.
std::optional<GpTree> make_gp_tree(const formula::Expression& expression,
                                   std::span<const double> params,
                                   std::size_t max_nodes);

}  // namespace lamarck::gp
