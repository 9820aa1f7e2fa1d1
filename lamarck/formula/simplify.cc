#include "lamarck/formula/simplify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/internal/canonical_builder.h"

namespace lamarck::formula {
namespace {

using Weighted = CanonicalBuilder::Weighted;

bool is_sum(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Neg; }

bool is_product(Op op) {
  return op == Op::Mul || op == Op::Div || op == Op::Reciprocal;
}

// One pass from the leaves to the root.
class Simplifier {
 public:
  explicit Simplifier(const Expression& expression)
      : nodes_(expression.nodes()),
        parents_(nodes_.size()),
        uses_(nodes_.size(), 0),
        simple_(nodes_.size(), 0) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto arity = static_cast<std::size_t>(arity_of(i));
      for (std::size_t k = 0; k < arity; ++k) {
        ++uses_[nodes_[i].arguments[k]];
        parents_[nodes_[i].arguments[k]] = i;
      }
    }
  }

  Expression run() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_part_of_parent(i)) simple_[i] = simplified(i);
    }
    return builder_.finish(simple_.back());
  }

 private:
  int arity_of(std::size_t i) const { return operation(nodes_[i].op).arity; }

  // Whether the node is only used inside a larger sum or product, and so is
  // gathered with it.
  bool is_part_of_parent(std::size_t i) const {
    if (uses_[i] != 1) return false;
    const Op op = nodes_[i].op;
    const Op parent = nodes_[parents_[i]].op;
    return (is_sum(op) && is_sum(parent)) ||
           (is_product(op) && is_product(parent));
  }

  NodeIndex simplified(std::size_t i) {
    const Node& node = nodes_[i];
    if (is_sum(node.op)) return builder_.sum(gathered(i, is_sum));
    if (is_product(node.op)) return builder_.product(gathered(i, is_product));
    // A constant power is a product with one factor.
    if (const auto exponent = exponent_of(node)) {
      const Weighted power = {*exponent, simple_[node.arguments[0]]};
      return builder_.product(std::span(&power, 1));
    }
    const auto arity = static_cast<std::size_t>(arity_of(i));
    if (arity == 0) return builder_.leaf(node);
    std::array<NodeIndex, 3> arguments{};
    for (std::size_t k = 0; k < arity; ++k) {
      arguments[k] = simple_[node.arguments[k]];
    }
    return builder_.apply(node.op, std::span(arguments).first(arity));
  }

  std::optional<double> exponent_of(const Node& node) const {
    if (node.op == Op::Square) return 2;
    if (node.op == Op::Cube) return 3;
    if (node.op != Op::Pow) return std::nullopt;
    const Node& exponent = nodes_[node.arguments[1]];
    const bool is_known =
        exponent.op == Op::Constant && std::isfinite(exponent.value);
    return is_known ? std::optional(exponent.value) : std::nullopt;
  }

  // The terms or factors of node `top`, from left to right, with their signs or
  // exponents. Iterative, because sums may have thousands of terms.
  std::vector<Weighted> gathered(std::size_t top, bool (*is_same)(Op)) const {
    std::vector<Weighted> result;
    std::vector<std::pair<double, std::size_t>> open = {{1, top}};
    while (!open.empty()) {
      const auto [weight, i] = open.back();
      open.pop_back();
      const Node& node = nodes_[i];
      const bool is_inner =
          i == top || (is_same(node.op) && is_part_of_parent(i));
      if (!is_inner) {
        result.emplace_back(weight, simple_[i]);
        continue;
      }
      const bool negates = node.op == Op::Sub || node.op == Op::Neg ||
                           node.op == Op::Div || node.op == Op::Reciprocal;
      if (arity_of(i) == 2) {
        open.emplace_back(negates ? -weight : weight, node.arguments[1]);
        open.emplace_back(weight, node.arguments[0]);
      } else {
        open.emplace_back(-weight, node.arguments[0]);
      }
    }
    return result;
  }

  const std::vector<Node>& nodes_;
  std::vector<std::size_t> parents_;  // The last parent of each node.
  std::vector<std::size_t> uses_;
  std::vector<NodeIndex> simple_;
  CanonicalBuilder builder_;
};

// Renumbers the params in order of appearance.
Expression renumbered(const Expression& expression) {
  ExpressionBuilder builder;
  constexpr NodeIndex kNone = ~NodeIndex{0};
  std::vector<NodeIndex> params(expression.param_count(), kNone);
  std::uint32_t next = 0;
  for (const Node& node : expression.nodes()) {
    if (node.op != Op::Param || params[node.index] != kNone) continue;
    params[node.index] = builder.param(next++);
  }
  return builder.finish(builder.append(expression, {}, params));
}

// Compares the sizes as trees or, where these are beyond counting, as graphs.
bool is_longer(const Expression& a, const Expression& b) {
  constexpr std::size_t kBeyondCounting =
      std::numeric_limits<std::size_t>::max();
  if (a.size() == kBeyondCounting && b.size() == kBeyondCounting) {
    return a.nodes().size() > b.nodes().size();
  }
  return a.size() > b.size();
}

}  // namespace

Expression simplify(const Expression& expression) {
  constexpr int kMaxRounds = 10;
  // All rounds together look at this many nodes, so that the time is linear in
  // the size of an expression from outside. Usual ones have fewer than 100.
  constexpr std::size_t kMaxNodes = 20'000;
  std::size_t nodes = 0;
  Expression best = expression;
  Expression current = expression;
  for (int round = 0; round < kMaxRounds; ++round) {
    nodes += current.nodes().size();
    if (round > 0 && nodes > kMaxNodes) break;
    Expression next = Simplifier(current).run();
    if (next == current) break;
    // A pass may grow the expression before a later one shrinks it.
    if (!is_longer(next, best)) best = next;
    current = std::move(next);
  }
  return best;
}

Expression with_constants(const Expression& expression,
                          std::span<const double> params) {
  REQUIRE(params.size() >= expression.param_count(),
          "with_constants: there must be a number for each of the {} params, "
          "got {}.",
          expression.param_count(), params.size());
  ExpressionBuilder builder;
  std::vector<NodeIndex> numbers;
  for (const double value : params) numbers.push_back(builder.constant(value));
  return simplify(builder.finish(builder.append(expression, {}, numbers)));
}

std::uint64_t canonical_hash(const Expression& expression) {
  return renumbered(simplify(expression)).hash();
}

}  // namespace lamarck::formula
