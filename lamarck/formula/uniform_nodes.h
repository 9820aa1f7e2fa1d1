// The nodes of an expression below which there is no input: for given params
// one number each, whatever the rows.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Whether a change of this argument changes the operation's value smoothly; not
// through a comparison, say.
bool passes_slope(Op op, std::size_t argument);

// The expression must live as long.
class UniformNodes {
 public:
  explicit UniformNodes(const Expression& expression);

  bool contains(NodeIndex node) const { return is_uniform_[node] != 0; }
  // Whether its derivative by that param may differ from 0.
  bool depends_on(NodeIndex node, std::size_t param) const;

  // numbers[node] of those that are uniform; the others stay.
  void evaluate(std::span<const double> params,
                std::span<double> numbers) const;
  // d numbers[node] / d param of all of them: result[node * params + param].
  void differentiate(std::span<const double> numbers,
                     std::vector<double>& result) const;

 private:
  const Expression* expression_;
  std::vector<std::uint8_t> is_uniform_;
  std::vector<std::uint8_t> depends_;  // [node * params + param]
};

}  // namespace lamarck::formula
