#include <algorithm>
#include <cmath>

#include "lamarck/base/hash.h"
#include "lamarck/formula/internal/canonical_builder.h"
#include "lamarck/formula/internal/mixed_hash.h"

namespace lamarck::formula {
namespace {

// Sorts constants before params, inputs and all other operations.
int group(Op op) {
  if (op == Op::Constant) return 0;
  if (op == Op::Param) return 1;
  return op == Op::Input ? 2 : 3;
}

}  // namespace

void CanonicalBuilder::Gathered::add(NodeIndex node, double weight) {
  const auto [place, is_new] = places.try_emplace(node, parts.size());
  if (is_new) {
    parts.emplace_back(weight, node);
  } else {
    parts[place->second].first += weight;
  }
}

bool CanonicalBuilder::Gathered::is_finite() const {
  return std::isfinite(constant) &&
         std::all_of(parts.begin(), parts.end(), [](const Weighted& part) {
           return std::isfinite(part.first);
         });
}

bool CanonicalBuilder::is_constant(NodeIndex index) const {
  return node(index).op == Op::Constant;
}

bool CanonicalBuilder::is_sum(NodeIndex index) const {
  return node(index).op == Op::Add || node(index).op == Op::Sub;
}

const CanonicalBuilder::SortKey& CanonicalBuilder::sort_key(NodeIndex index) {
  while (sort_keys_.size() <= index) {
    const Node& next = node(static_cast<NodeIndex>(sort_keys_.size()));
    SortKey own;
    own.hash = mixed_hash(static_cast<std::uint64_t>(next.op),
                          std::bit_cast<std::uint64_t>(next.value));
    own.blind_hash =
        next.op == Op::Param ? own.hash : mixed_hash(own.hash, next.index);
    own.hash = mixed_hash(own.hash, next.index);
    const auto arity = static_cast<std::size_t>(operation(next.op).arity);
    for (std::size_t i = 0; i < arity; ++i) {
      const SortKey& argument = sort_keys_[next.arguments[i]];
      // Clamped, because sizes of shared graphs grow exponentially.
      own.size += std::min(argument.size, std::size_t{1} << 60);
      own.blind_hash = mixed_hash(own.blind_hash, argument.blind_hash);
      own.hash = mixed_hash(own.hash, argument.hash);
    }
    own.size = std::min(own.size, std::size_t{1} << 60);
    sort_keys_.push_back(own);
  }
  return sort_keys_[index];
}

// Orders by group, then by size, then by hash. The hash without param indices
// comes first, so that renaming params rarely changes the order.
bool CanonicalBuilder::comes_first(NodeIndex a, NodeIndex b) {
  sort_key(std::max(a, b));
  const SortKey& of_a = sort_key(a);
  const SortKey& of_b = sort_key(b);
  const int kind_a = group(node(a).op);
  const int kind_b = group(node(b).op);
  if (kind_a != kind_b) return kind_a < kind_b;
  if (of_a.size != of_b.size) return of_a.size < of_b.size;
  if (kind_a < 3) {
    return std::pair(node(a).index, node(a).value) <
           std::pair(node(b).index, node(b).value);
  }
  if (of_a.blind_hash != of_b.blind_hash) {
    return of_a.blind_hash < of_b.blind_hash;
  }
  return of_a.hash < of_b.hash;
}

// In sums, operations come first, larger ones before smaller ones, then inputs,
// then params.
bool CanonicalBuilder::comes_first_in_sum(NodeIndex a, NodeIndex b) {
  const int kind_a = group(node(a).op);
  const int kind_b = group(node(b).op);
  if (kind_a != kind_b) return kind_a > kind_b;
  const std::size_t size_a = sort_key(a).size;
  const std::size_t size_b = sort_key(b).size;
  return size_a != size_b ? size_a > size_b : comes_first(a, b);
}

NodeIndex CanonicalBuilder::leaf(const Node& node) {
  if (node.op == Op::Input) return builder_.input(node.index);
  if (node.op == Op::Param) return builder_.param(node.index);
  return builder_.constant(node.value);
}

NodeIndex CanonicalBuilder::sum(std::span<const Weighted> terms) {
  Gathered gathered;
  for (const auto& [weight, term] : terms) add_terms(gathered, weight, term);
  return gathered.is_finite() ? built_sum(gathered) : plain_sum(terms);
}

// Expands inner sums and extracts the coefficients of products.
void CanonicalBuilder::add_terms(Gathered& sum, double weight, NodeIndex term) {
  std::vector<Weighted> open = {{weight, term}};
  while (!open.empty()) {
    const auto [factor, index] = open.back();
    open.pop_back();
    const Node here = node(index);
    if (here.op == Op::Constant) {
      sum.constant += factor * here.value;
    } else if (here.op == Op::Neg) {
      open.emplace_back(-factor, here.arguments[0]);
    } else if (is_sum(index) && std::abs(factor) == 1 && may_expand(sum)) {
      open.emplace_back(here.op == Op::Add ? factor : -factor,
                        here.arguments[1]);
      open.emplace_back(factor, here.arguments[0]);
    } else if (here.op == Op::Mul || here.op == Op::Div) {
      Gathered product{.constant = 1};
      add_factors(product, 1, index);
      const double coefficient = factor * product.constant;
      product.constant = 1;
      sum.add(product.is_finite() ? built_product(product) : index,
              product.is_finite() ? coefficient : factor);
    } else {
      sum.add(index, factor);
    }
  }
}

// Builds the sum as written, from left to right; for coefficients that are not
// finite.
NodeIndex CanonicalBuilder::plain_sum(std::span<const Weighted> terms) {
  NodeIndex result = terms[0].second;
  if (terms[0].first < 0) result = unary(Op::Neg, result);
  for (const auto& [weight, term] : terms.subspan(1)) {
    result = binary(weight < 0 ? Op::Sub : Op::Add, result, term);
  }
  return result;
}

// Positive terms come first, larger ones before smaller ones. The constant is
// last, unless it saves a sign: 3 - x.
NodeIndex CanonicalBuilder::built_sum(Gathered& sum) {
  // Terms may have canceled each other.
  std::erase_if(sum.parts,
                [](const Weighted& part) { return part.first == 0; });
  std::sort(sum.parts.begin(), sum.parts.end(),
            [&](const Weighted& a, const Weighted& b) {
              if ((a.first < 0) != (b.first < 0)) return b.first < 0;
              return comes_first_in_sum(a.second, b.second);
            });
  if (sum.parts.empty()) return builder_.constant(sum.constant);
  const bool has_positive = sum.parts[0].first > 0;
  std::size_t next = 0;
  NodeIndex result = 0;
  if (!has_positive && sum.constant != 0) {
    result = builder_.constant(sum.constant);
    sum.constant = 0;
  } else {
    result = scaled(sum.parts[0].first, sum.parts[0].second);
    next = 1;
  }
  for (; next < sum.parts.size(); ++next) {
    const auto [weight, base] = sum.parts[next];
    result = builder_.apply(weight < 0 ? Op::Sub : Op::Add, result,
                            scaled(std::abs(weight), base));
  }
  if (sum.constant == 0) return result;
  return builder_.apply(sum.constant < 0 ? Op::Sub : Op::Add, result,
                        builder_.constant(std::abs(sum.constant)));
}

// REQUIRES: `base` has no coefficient of its own.
NodeIndex CanonicalBuilder::scaled(double coefficient, NodeIndex base) {
  if (coefficient == 1) return base;
  if (coefficient == -1) return builder_.apply(Op::Neg, base);
  Gathered product{.constant = coefficient};
  add_factors(product, 1, base);
  if (product.is_finite()) return built_product(product);
  return builder_.apply(Op::Mul, builder_.constant(coefficient), base);
}

}  // namespace lamarck::formula
