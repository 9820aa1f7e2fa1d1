#include "lamarck/gp/gp_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "lamarck/base/hash.h"

namespace lamarck::gp {

using formula::Op;

namespace {

int argument_count(Op op) { return formula::operation(op).arity; }

// Nested functions of this kind rarely occur in laws and fit noise.
bool is_transcendental(Op op) {
  switch (op) {
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Exp:
    case Op::Log:
    case Op::Tanh:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Arctan:
    case Op::Arcsin:
    case Op::Arccos:
    case Op::Pow:
      return true;
    default:
      return false;
  }
}

bool is_constant(const GpTree& tree, double value) {
  return is_constant(tree) && tree[0].value == value;
}

bool is_commutative(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Minimum ||
         op == Op::Maximum;
}

// A strict order of trees that ignores the values of constants. Constants come
// last, so that folding finds them in the second argument.
bool comes_first(const GpTree& a, const GpTree& b) {
  if (is_constant(a) != is_constant(b)) return is_constant(b);
  if (a.size() != b.size()) return a.size() > b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].op != b[i].op) {
      return b[i].op == Op::Constant ||
             (a[i].op != Op::Constant && a[i].op < b[i].op);
    }
    if (a[i].input != b[i].input) return a[i].input < b[i].input;
  }
  return false;
}

GpTree folded_unary(Op op, GpTree a) {
  if (is_constant(a)) return gp_constant(formula::apply(op, a[0].value));
  const Op inner = a.back().op;
  const auto without_root = [&] { return GpTree(a.begin(), a.end() - 1); };
  if (op == Op::Neg && inner == Op::Neg) return without_root();
  if (op == Op::Reciprocal && inner == Op::Reciprocal) return without_root();
  if (op == Op::Log && inner == Op::Exp) return without_root();
  if (op == Op::Exp && inner == Op::Log) return without_root();
  if (op == Op::Square && inner == Op::Sqrt) return without_root();
  if (op == Op::Abs && inner == Op::Abs) return a;
  if (op == Op::Abs && inner == Op::Square) return a;
  if (op == Op::Square && (inner == Op::Abs || inner == Op::Neg)) {
    return gp_apply(op, without_root());
  }
  if (op == Op::Cos && inner == Op::Neg) return gp_apply(op, without_root());
  return gp_apply(op, a);
}

GpTree folded_binary(Op op, GpTree a, GpTree b) {
  if (is_constant(a) && is_constant(b)) {
    return gp_constant(formula::apply(op, a[0].value, b[0].value));
  }
  // A subtraction becomes an addition and a division a multiplication, so that
  // equal expressions get the same form.
  if (op == Op::Sub && is_constant(b)) {
    op = Op::Add;
    b[0].value = -b[0].value;
  }
  if (op == Op::Div && is_constant(b)) {
    op = Op::Mul;
    b[0].value = 1 / b[0].value;
  }
  if (op == Op::Div && is_constant(a, 1)) return gp_apply(Op::Reciprocal, b);
  if (op == Op::Sub && is_constant(a, 0)) return gp_apply(Op::Neg, b);
  if (is_commutative(op) && comes_first(b, a)) std::swap(a, b);
  if (op == Op::Add && is_constant(b, 0)) return a;
  if (op == Op::Mul && is_constant(b, 1)) return a;
  if (op == Op::Mul && is_constant(b, 0)) return gp_constant(0);
  if (op == Op::Sub && a == b) return gp_constant(0);
  if (op == Op::Div && a == b) return gp_constant(1);
  if (op == Op::Mul && a == b) return gp_apply(Op::Square, a);
  // (x + c) + d = x + (c + d), (x * c) * d = x * (c * d).
  if ((op == Op::Add || op == Op::Mul) && is_constant(b) && a.back().op == op &&
      a[a.size() - 2].op == Op::Constant) {
    a[a.size() - 2].value =
        formula::apply(op, a[a.size() - 2].value, b[0].value);
    return a;
  }
  return gp_apply(op, a, b);
}

}  // namespace

GpTree gp_constant(double value) {
  return {{.op = Op::Constant, .input = 0, .length = 1, .value = value}};
}

GpTree gp_input(std::size_t input) {
  return {{.op = Op::Input,
           .input = static_cast<std::uint16_t>(input),
           .length = 1,
           .value = 0}};
}

GpTree gp_apply(Op op, const GpTree& a) {
  GpTree tree = a;
  tree.push_back({.op = op,
                  .input = 0,
                  .length = static_cast<std::uint16_t>(a.size() + 1),
                  .value = 0});
  return tree;
}

GpTree gp_apply(Op op, const GpTree& a, const GpTree& b) {
  GpTree tree;
  tree.reserve(a.size() + b.size() + 1);
  tree.insert(tree.end(), a.begin(), a.end());
  tree.insert(tree.end(), b.begin(), b.end());
  tree.push_back({.op = op,
                  .input = 0,
                  .length = static_cast<std::uint16_t>(tree.size() + 1),
                  .value = 0});
  return tree;
}

GpTree subtree(const GpTree& tree, std::size_t node) {
  return {tree.begin() + static_cast<std::ptrdiff_t>(first_of(tree, node)),
          tree.begin() + static_cast<std::ptrdiff_t>(node) + 1};
}

GpTree replaced(const GpTree& tree, std::size_t node, const GpTree& by) {
  const std::size_t first = first_of(tree, node);
  GpTree result;
  result.reserve(tree.size() + by.size());
  result.insert(result.end(), tree.begin(),
                tree.begin() + static_cast<std::ptrdiff_t>(first));
  result.insert(result.end(), by.begin(), by.end());
  const auto change =
      static_cast<int>(by.size()) - static_cast<int>(tree[node].length);
  for (std::size_t i = node + 1; i < tree.size(); ++i) {
    GpNode above = tree[i];
    // The nodes whose subtree contains the replaced one change their length.
    if (first_of(tree, i) <= first) {
      above.length = static_cast<std::uint16_t>(above.length + change);
    }
    result.push_back(above);
  }
  return result;
}

std::vector<double> constants_of(const GpTree& tree) {
  std::vector<double> constants;
  for (const GpNode& node : tree) {
    if (node.op == Op::Constant) constants.push_back(node.value);
  }
  return constants;
}

std::size_t constant_count(const GpTree& tree) {
  return static_cast<std::size_t>(std::count_if(
      tree.begin(), tree.end(),
      [](const GpNode& node) { return node.op == Op::Constant; }));
}

bool has_input(const GpTree& tree) {
  return std::any_of(tree.begin(), tree.end(),
                     [](const GpNode& node) { return node.op == Op::Input; });
}

std::uint64_t structure_hash(const GpTree& tree) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const GpNode& node : tree) {
    hash = mix64(hash ^ (static_cast<std::uint64_t>(node.op) << 16U |
                         static_cast<std::uint64_t>(node.input)));
  }
  return hash;
}

int nesting(const GpTree& tree) {
  std::vector<int> depth(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const int count = argument_count(tree[i].op);
    if (count >= 1) depth[i] = depth[i - 1];
    if (count == 2) {
      depth[i] = std::max(depth[i], depth[first_argument(tree, i)]);
    }
    if (is_transcendental(tree[i].op)) ++depth[i];
  }
  return tree.empty() ? 0 : depth.back();
}

GpTree folded(const GpTree& tree) {
  std::vector<GpTree> stack;
  for (const GpNode& node : tree) {
    const int count = argument_count(node.op);
    if (count == 0) {
      stack.push_back({node});
    } else if (count == 1) {
      stack.back() = folded_unary(node.op, std::move(stack.back()));
    } else {
      GpTree b = std::move(stack.back());
      stack.pop_back();
      stack.back() =
          folded_binary(node.op, std::move(stack.back()), std::move(b));
    }
  }
  return stack.back();
}

formula::NodeIndex append_tree(const GpTree& tree,
                               formula::ExpressionBuilder& builder,
                               std::uint32_t* next_param) {
  std::vector<formula::NodeIndex> stack;
  for (const GpNode& node : tree) {
    const int count = argument_count(node.op);
    if (node.op == Op::Input) {
      stack.push_back(builder.input(node.input));
    } else if (node.op == Op::Constant) {
      stack.push_back(next_param == nullptr ? builder.constant(node.value)
                                            : builder.param((*next_param)++));
    } else if (count == 1) {
      stack.back() = builder.apply(node.op, stack.back());
    } else {
      const formula::NodeIndex b = stack.back();
      stack.pop_back();
      stack.back() = builder.apply(node.op, stack.back(), b);
    }
  }
  return stack.back();
}

std::optional<GpTree> make_gp_tree(const formula::Expression& expression,
                                   std::span<const double> params,
                                   std::size_t max_nodes) {
  if (expression.size() > max_nodes) return std::nullopt;
  std::vector<GpTree> trees;
  for (const formula::Node& node : expression.nodes()) {
    const int count = argument_count(node.op);
    if (node.op == Op::Constant) {
      trees.push_back(gp_constant(node.value));
    } else if (node.op == Op::Param) {
      trees.push_back(
          gp_constant(node.index < params.size() ? params[node.index] : 1.0));
    } else if (node.op == Op::Input) {
      trees.push_back(gp_input(node.index));
    } else if (count == 1) {
      trees.push_back(gp_apply(node.op, trees[node.arguments[0]]));
    } else if (count == 2 && node.op < Op::Less) {
      trees.push_back(gp_apply(node.op, trees[node.arguments[0]],
                               trees[node.arguments[1]]));
    } else {
      return std::nullopt;
    }
  }
  return trees.back();
}

}  // namespace lamarck::gp
