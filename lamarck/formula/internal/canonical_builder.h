// Builds expressions in canonical form: sums and products are collected and
// ordered, and constants are folded.
//
// All nodes passed to it must have been made by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Thread safety: owned by one thread.
class CanonicalBuilder {
 public:
  using Weighted = std::pair<double, NodeIndex>;

  NodeIndex leaf(const Node& node);
  // The sum of weight * node; weights are 1 or -1.
  NodeIndex sum(std::span<const Weighted> terms);
  // The product of node ** weight.
  NodeIndex product(std::span<const Weighted> factors);
  // Any operation other than sums and products.
  NodeIndex apply(Op op, std::span<const NodeIndex> arguments);

  Expression finish(NodeIndex root) const { return builder_.finish(root); }

 private:
  // Determines the order of arguments.
  struct SortKey {
    std::size_t size = 1;
    std::uint64_t blind_hash = 0;  // Treats all params as equal.
    std::uint64_t hash = 0;
  };
  // The number of inner sums or products that are expanded: in one sum or
  // product, and in the whole expression. Only expressions of thousands of
  // nodes reach the second limit.
  static constexpr std::size_t kMaxSteps = 50;
  static constexpr std::size_t kMaxAllSteps = 100'000;

  // A sum or product as distinct nodes with their coefficients or exponents.
  struct Gathered {
    double constant = 0;
    std::vector<Weighted> parts;
    std::unordered_map<NodeIndex, std::size_t> places;
    std::size_t steps = 0;

    void add(NodeIndex node, double weight);
    bool is_finite() const;
  };

  const Node& node(NodeIndex index) const { return builder_.node(index); }
  // Counts an expansion; returns whether it is within the limits.
  bool may_expand(Gathered& gathered) {
    return ++gathered.steps < kMaxSteps && ++steps_ < kMaxAllSteps;
  }
  bool is_constant(NodeIndex index) const;
  bool is_sum(NodeIndex index) const;
  const SortKey& sort_key(NodeIndex index);
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
  std::size_t steps_ = 0;  // Expansions so far.
  std::vector<SortKey> sort_keys_;
};

}  // namespace lamarck::formula
