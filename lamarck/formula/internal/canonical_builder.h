// Grows expressions that are simple from the beginning: sums and products are
// gathered and ordered, constants folded.
//
// All nodes that it is given were made by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Owned by one thread.
class CanonicalBuilder {
 public:
  using Weighted = std::pair<double, NodeIndex>;

  NodeIndex leaf(const Node& node);
  // Of weight * node; weights are 1 or -1.
  NodeIndex sum(std::span<const Weighted> terms);
  // Of node ** weight.
  NodeIndex product(std::span<const Weighted> factors);
  // Any operation but those that are sums or products.
  NodeIndex apply(Op op, std::span<const NodeIndex> arguments);

  Expression finish(NodeIndex root) const { return builder_.finish(root); }

 private:
  // What the order of arguments looks at.
  struct Look {
    std::size_t size = 1;
    std::uint64_t blind_hash = 0;  // All params look the same.
    std::uint64_t hash = 0;
  };
  // So many inner sums or products are taken apart.
  static constexpr std::size_t kMostSteps = 50;

  // Nodes with their coefficients or exponents, each node once.
  struct Gathered {
    double constant = 0;
    std::vector<Weighted> parts;
    std::unordered_map<NodeIndex, std::size_t> places;
    std::size_t steps = 0;

    void add(NodeIndex node, double weight);
    bool is_finite() const;
  };

  const Node& node(NodeIndex index) const { return builder_.node(index); }
  bool is_constant(NodeIndex index) const;
  bool is_sum(NodeIndex index) const;
  const Look& look(NodeIndex index);
  bool comes_first(NodeIndex a, NodeIndex b);
  bool comes_first_in_sum(NodeIndex a, NodeIndex b);

  void add_terms(Gathered& sum, double weight, NodeIndex term);
  NodeIndex built_sum(Gathered& sum);
  NodeIndex plain_sum(std::span<const Weighted> terms);
  NodeIndex scaled(double coefficient, NodeIndex base);

  void add_factors(Gathered& product, double exponent, NodeIndex factor);
  bool add_power(Gathered& product, double exponent, NodeIndex factor);
  void multiply(Gathered& product, double exponent, NodeIndex constant);
  NodeIndex built_product(Gathered& product);
  NodeIndex plain_product(std::span<const Weighted> factors);
  NodeIndex quotient(double coefficient, std::vector<NodeIndex> above,
                     std::span<const NodeIndex> below);
  NodeIndex multiplied(std::span<const NodeIndex> factors);
  NodeIndex power(NodeIndex base, double exponent);

  NodeIndex unary(Op op, NodeIndex a);
  NodeIndex binary(Op op, NodeIndex a, NodeIndex b);
  NodeIndex where(NodeIndex condition, NodeIndex then, NodeIndex otherwise);

  ExpressionBuilder builder_;
  std::vector<Look> looks_;
};

}  // namespace lamarck::formula
