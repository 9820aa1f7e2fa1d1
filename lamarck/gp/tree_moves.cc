#include "lamarck/gp/tree_moves.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "lamarck/base/portable_math.h"

namespace lamarck::gp {
namespace {

using formula::Op;

constexpr std::size_t kNewDepth = 3;  // Maximum depth of new subtrees.
constexpr int kDigits = 4;            // Significant digits of constants.

// Draws a position at which `holds` is true, or returns nullopt.
template <class Condition>
std::optional<std::size_t> random_place(std::span<const TreeNode> tree,
                                        Rng& rng, Condition holds) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (holds(i)) places.push_back(i);
  }
  if (places.empty()) return std::nullopt;
  return rng.choice(places);
}

std::size_t any_place(const Tree& tree, Rng& rng) {
  return static_cast<std::size_t>(rng.below(tree.size()));
}

std::optional<std::size_t> number_place(std::span<const TreeNode> tree,
                                        Rng& rng) {
  return random_place(tree, rng,
                      [&](std::size_t i) { return !is_truth(tree[i].op); });
}

Tree applied(Op op, const Tree& a, const Tree& b) {
  Tree tree = {{.op = op}};
  append_part(tree, a);
  append_part(tree, b);
  return tree;
}

Tree branch(const Tree& condition, const Tree& then, const Tree& otherwise) {
  Tree tree = {{.op = Op::Where}};
  append_part(tree, condition);
  append_part(tree, then);
  append_part(tree, otherwise);
  return tree;
}

bool cross(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const std::size_t at = any_place(tree, rng);
  const bool truth = is_truth(tree[at].op);
  const auto from = random_place(material.mate, rng, [&](std::size_t i) {
    return is_truth(material.mate[i].op) == truth;
  });
  if (!from) return false;
  replace_subtree(tree, at, subtree(material.mate, *from));
  return true;
}

bool combine(Tree& tree, const TreeMaterial& material, Rng& rng) {
  if (is_truth(tree[0].op) || is_truth(material.mate[0].op)) return false;
  const Op op = rng.chance(0.5) ? Op::Add : Op::Sub;
  if (!material.vocabulary.has_branches() || rng.chance(0.5)) {
    tree = applied(op, tree, material.mate);
  } else {
    tree = branch(material.vocabulary.truth(material.inputs, kNewDepth, rng),
                  tree, material.mate);
  }
  return true;
}

bool replace(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const std::size_t at = any_place(tree, rng);
  const auto& words = material.vocabulary;
  replace_subtree(tree, at,
                  is_truth(tree[at].op)
                      ? words.truth(material.inputs, kNewDepth, rng)
                      : words.number(material.inputs, kNewDepth, rng));
  return true;
}

bool exchange_node(Tree& tree, const TreeMaterial& material, Rng& rng) {
  TreeNode& node = tree[any_place(tree, rng)];
  const TreeNode before = node;
  if (arity(node.op) == 0) {
    node = material.vocabulary.leaf(material.inputs, rng);
  } else {
    node.op = material.vocabulary.similar(node.op, rng);
  }
  return !(node == before);
}

bool insert(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const auto at = number_place(tree, rng);
  if (!at) return false;
  const Tree inside = subtree(tree, *at);
  const Op op = material.vocabulary.number_op(rng);
  if (arity(op) == 1) {
    Tree outside = {{.op = op}};
    append_part(outside, inside);
    replace_subtree(tree, *at, outside);
    return true;
  }
  const Tree other = material.vocabulary.number(material.inputs, 2, rng);
  replace_subtree(tree, *at,
                  rng.chance(0.5) ? applied(op, inside, other)
                                  : applied(op, other, inside));
  return true;
}

bool remove(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  const auto at = random_place(
      tree, rng, [&](std::size_t i) { return arity(tree[i].op) > 0; });
  if (!at) return false;
  std::vector<std::size_t> candidates;
  for (const std::size_t place : argument_places(tree, *at)) {
    if (is_truth(tree[place].op) == is_truth(tree[*at].op)) {
      candidates.push_back(place);
    }
  }
  if (candidates.empty()) return false;
  replace_subtree(tree, *at, subtree(tree, rng.choice(candidates)));
  return true;
}

bool hoist(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  const auto at = random_place(tree, rng, [&](std::size_t i) {
    return i > 0 && arity(tree[i].op) > 0 &&
           is_truth(tree[i].op) == is_truth(tree[0].op);
  });
  if (!at) return false;
  tree = subtree(tree, *at);
  return true;
}

bool shrink(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const auto at = random_place(tree, rng, [&](std::size_t i) {
    return arity(tree[i].op) > 0 && !is_truth(tree[i].op);
  });
  if (!at) return false;
  replace_subtree(tree, *at, {material.vocabulary.leaf(material.inputs, rng)});
  return true;
}

bool turn(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  const auto at = random_place(tree, rng, [&](std::size_t i) {
    return arity(tree[i].op) > 1 && tree[i].op != Op::Add &&
           tree[i].op != Op::Mul;
  });
  if (!at) return false;
  const auto places = argument_places(tree, *at);
  const std::size_t last = places.size() - 1;
  const Tree left = subtree(tree, places[last - 1]);
  const Tree right = subtree(tree, places[last]);
  // The later position first, so that the earlier one stays valid.
  replace_subtree(tree, places[last], left);
  replace_subtree(tree, places[last - 1], right);
  return !(left == right);
}

// The width of the step is log-uniform, so small and large steps are both
// common.
double jittered(double value, Rng& rng) {
  const double width = portable_exp(rng.uniform(-4.6, 0.0));
  const double moved = rng.chance(0.5)
                           ? value * portable_exp(width * rng.normal())
                           : value + width * rng.normal();
  return rounded_constant(moved, kDigits);
}

// Steps to a nearby integer.
double stepped(double value, Rng& rng) {
  const double step = static_cast<double>(rng.integer(1, 5));
  return std::round(value) + (rng.chance(0.5) ? step : -step);
}

bool jitter(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  const auto at = random_place(
      tree, rng, [&](std::size_t i) { return tree[i].op == Op::Constant; });
  if (!at) return false;
  double& value = tree[*at].value;
  value = rng.chance(0.3) ? stepped(value, rng) : jittered(value, rng);
  return true;
}

bool jitter_all(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  bool found = false;
  for (TreeNode& node : tree) {
    if (node.op != Op::Constant) continue;
    node.value = rounded_constant(node.value * portable_exp(0.1 * rng.normal()),
                                  kDigits);
    found = true;
  }
  return found;
}

bool redraw(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const auto at = random_place(
      tree, rng, [&](std::size_t i) { return tree[i].op == Op::Constant; });
  if (!at) return false;
  tree[*at].value = material.vocabulary.constant(rng);
  return true;
}

bool move_threshold(Tree& tree, const TreeMaterial& /*material*/, Rng& rng) {
  const auto at = random_place(tree, rng, [&](std::size_t i) {
    if (!is_truth(tree[i].op) || arity(tree[i].op) < 2) return false;
    const auto places = argument_places(tree, i);
    return tree[places[0]].op == Op::Constant ||
           tree[places[1]].op == Op::Constant;
  });
  if (!at) return false;
  const auto places = argument_places(tree, *at);
  const bool is_first = tree[places[0]].op == Op::Constant;
  double& value = tree[places[is_first ? 0 : 1]].value;
  value = rng.chance(0.5) ? stepped(value, rng) : jittered(value, rng);
  return true;
}

// The new branch is often similar to the old one, so that much of the behavior
// is preserved.
bool add_branch(Tree& tree, const TreeMaterial& material, Rng& rng) {
  const auto& words = material.vocabulary;
  const auto at = number_place(tree, rng);
  if (!at || !words.has_branches()) return false;
  const Tree then = subtree(tree, *at);
  const Tree part = {words.leaf(material.inputs, rng)};
  const std::uint64_t way = rng.below(4);
  const Tree otherwise = way == 0   ? applied(Op::Add, then, part)
                         : way == 1 ? applied(Op::Mul, then, part)
                         : way == 2 ? part
                                    : words.number(material.inputs, 2, rng);
  const Tree condition = words.truth(material.inputs, kNewDepth, rng);
  replace_subtree(tree, *at, branch(condition, then, otherwise));
  return true;
}

constexpr std::array kTreeMoves = {
    TreeMove{"crossover", "replaces a part by one of another parent", 3, cross},
    TreeMove{"combine", "joins two parents in a sum or a branch", 0.5, combine},
    TreeMove{"replace", "replaces a part by a random one", 1.5, replace},
    TreeMove{"exchange", "changes one operation or leaf", 1.5, exchange_node},
    TreeMove{"insert", "puts an operation around a part", 1.5, insert},
    TreeMove{"remove", "replaces an operation by its argument", 1, remove},
    TreeMove{"hoist", "replaces the tree by a part of it", 0.2, hoist},
    TreeMove{"shrink", "replaces a part by a leaf", 0.7, shrink},
    TreeMove{"turn", "swaps two arguments", 0.3, turn},
    TreeMove{"jitter", "changes a constant a little", 2, jitter},
    TreeMove{"jitter_all", "changes all constants a little", 0.5, jitter_all},
    TreeMove{"redraw", "draws a new value for a constant", 0.7, redraw},
    TreeMove{"threshold", "changes a constant in a comparison", 1,
             move_threshold},
    TreeMove{"branch", "puts a part into a where", 1, add_branch},
};

}  // namespace

std::span<const TreeMove> tree_moves() { return kTreeMoves; }

const TreeMove* find_tree_move(std::string_view name) {
  for (const TreeMove& move : kTreeMoves) {
    if (move.name == name) return &move;
  }
  return nullptr;
}

}  // namespace lamarck::gp
