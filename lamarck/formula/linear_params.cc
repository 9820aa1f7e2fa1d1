#include "lamarck/formula/linear_params.h"

#include <algorithm>
#include <cstddef>

namespace lamarck::formula {
namespace {

constexpr int kNotLinear = 2;  // Stands for all higher degrees too.

// The degree of a node as a polynomial in the chosen params.
int degree_of(const Node& node, const std::vector<int>& degrees) {
  const auto& x = node.arguments;
  const auto of = [&](std::size_t k) { return degrees[x[k]]; };
  switch (node.op) {
    case Op::Add:
    case Op::Sub:
      return std::max(of(0), of(1));
    case Op::Mul:
      return of(0) + of(1);
    case Op::Div:
      return of(1) == 0 ? of(0) : kNotLinear;
    case Op::Neg:
      return of(0);
    case Op::Where:
      return of(0) == 0 ? std::max(of(1), of(2)) : kNotLinear;
    default:
      break;
  }
  const auto arity = static_cast<std::size_t>(operation(node.op).arity);
  for (std::size_t k = 0; k < arity; ++k) {
    if (of(k) > 0) return kNotLinear;
  }
  return 0;
}

bool is_linear_in(const Expression& expression,
                  const std::vector<std::uint8_t>& chosen) {
  std::vector<int> degrees;
  for (const Node& node : expression.nodes()) {
    const int degree =
        node.op == Op::Param ? chosen[node.index] : degree_of(node, degrees);
    degrees.push_back(std::min(degree, kNotLinear));
  }
  return degrees.back() < kNotLinear;
}

}  // namespace

std::vector<std::uint8_t> linear_params(const Expression& expression) {
  std::vector<std::uint8_t> chosen(expression.param_count(), 0);
  for (std::uint8_t& param : chosen) {
    param = 1;
    if (!is_linear_in(expression, chosen)) param = 0;
  }
  return chosen;
}

}  // namespace lamarck::formula
