// The nodes of an expression that depend on no input: for given params, each
// has one value for all rows.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Whether the derivative with respect to this argument can differ from 0. It
// cannot for a comparison, for example.
bool passes_slope(Op op, std::size_t argument);

// The expression must outlive it.
class UniformNodes {
 public:
  explicit UniformNodes(const Expression& expression);

  bool contains(NodeIndex node) const { return is_uniform_[node] != 0; }
  // Whether the node's derivative with respect to the param may differ from 0.
  bool depends_on(NodeIndex node, std::size_t param) const;

  // Sets numbers[node] for all uniform nodes; leaves the others unchanged.
  void evaluate(std::span<const double> params,
                std::span<double> numbers) const;
  // Sets result[node * params + param] = d numbers[node] / d param for all
  // uniform nodes.
  void differentiate(std::span<const double> numbers,
                     std::vector<double>& result) const;

 private:
  const Expression* expression_;
  std::vector<std::uint8_t> is_uniform_;
  std::vector<std::uint8_t> depends_;  // [node * params + param]
};

}  // namespace lamarck::formula
