#include "lamarck/formula/uniform_nodes.h"

#include <algorithm>
#include <array>

#include "lamarck/formula/block_kernels.h"

namespace lamarck::formula {
namespace {

using Row = std::array<double, kBlockStep>;

// The derivatives of the operation with respect to its arguments. Uses the
// block kernels, so that both paths give the same results.
std::array<double, 3> slopes_at(const Node& node, double value,
                                std::span<const double> numbers) {
  alignas(64) std::array<Row, 3> x{};
  alignas(64) std::array<Row, 3> slopes{};
  alignas(64) Row out;
  alignas(64) Row one;
  for (std::size_t k = 0; k < arity_of(node); ++k) {
    x[k].fill(numbers[node.arguments[k]]);
  }
  out.fill(value);
  one.fill(1);
  backpropagate_block(node.op, x[0].data(), x[1].data(), x[2].data(),
                      out.data(), one.data(), slopes[0].data(),
                      slopes[1].data(), slopes[2].data(), kBlockStep);
  return {slopes[0][0], slopes[1][0], slopes[2][0]};
}

}  // namespace

bool passes_slope(Op op, std::size_t argument) {
  switch (op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
      return false;
    case Op::Where:
      return argument != 0;
    default:
      return true;
  }
}

UniformNodes::UniformNodes(const Expression& expression)
    : expression_(&expression) {
  const std::vector<Node>& nodes = expression.nodes();
  const std::size_t params = expression.param_count();
  is_uniform_.resize(nodes.size());
  depends_.resize(nodes.size() * params);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    is_uniform_[i] = node.op != Op::Input;
    if (node.op == Op::Param) depends_[i * params + node.index] = 1;
    for (std::size_t k = 0; k < arity_of(node); ++k) {
      const NodeIndex argument = node.arguments[k];
      // Arguments come before their node, so their entries are final.
      is_uniform_[i] &= is_uniform_[argument];
      if (!passes_slope(node.op, k)) continue;
      for (std::size_t p = 0; p < params; ++p) {
        depends_[i * params + p] |= depends_[argument * params + p];
      }
    }
  }
}

bool UniformNodes::depends_on(NodeIndex node, std::size_t param) const {
  return depends_[node * expression_->param_count() + param] != 0;
}

void UniformNodes::evaluate(std::span<const double> params,
                            std::span<double> numbers) const {
  const std::vector<Node>& nodes = expression_->nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (is_uniform_[i] == 0) continue;
    if (node.op == Op::Constant) {
      numbers[i] = node.value;
    } else if (node.op == Op::Param) {
      numbers[i] = params[node.index];
    } else {
      const auto& x = node.arguments;
      numbers[i] = apply(node.op, numbers[x[0]], numbers[x[1]], numbers[x[2]]);
    }
  }
}

void UniformNodes::differentiate(std::span<const double> numbers,
                                 std::vector<double>& result) const {
  const std::vector<Node>& nodes = expression_->nodes();
  const std::size_t params = expression_->param_count();
  result.assign(nodes.size() * params, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (is_uniform_[i] == 0) continue;
    if (node.op == Op::Param) result[i * params + node.index] = 1;
    if (arity_of(node) == 0) continue;
    const auto slopes = slopes_at(node, numbers[i], numbers);
    for (std::size_t k = 0; k < arity_of(node); ++k) {
      for (std::size_t p = 0; p < params; ++p) {
        const double flow = result[node.arguments[k] * params + p];
        // An infinite slope times 0 would be NaN.
        if (flow != 0) result[i * params + p] += slopes[k] * flow;
      }
    }
  }
}

}  // namespace lamarck::formula
