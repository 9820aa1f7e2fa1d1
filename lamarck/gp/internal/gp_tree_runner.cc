#include "lamarck/gp/internal/gp_tree_runner.h"

#include <algorithm>

#include "lamarck/formula/block_kernels.h"

namespace lamarck::gp {

using formula::kBlockRows;
using formula::Op;

const double* GpTreeRunner::run(const GpTree& tree, const GpRows& rows,
                                std::size_t start, std::size_t count) {
  node_blocks_.resize(tree.size(), kBlockRows);
  node_values_.resize(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const GpNode& node = tree[i];
    if (node.op == Op::Input) {
      node_values_[i] = rows.inputs[node.input].data() + start;
      continue;
    }
    double* out = node_blocks_[i];
    node_values_[i] = out;
    if (node.op == Op::Constant) {
      std::fill_n(out, count, node.value);
    } else if (formula::operation(node.op).arity == 1) {
      formula::apply_block(node.op, node_values_[i - 1], nullptr, nullptr, out,
                           count);
    } else {
      formula::apply_block(node.op, node_values_[first_argument(tree, i)],
                           node_values_[i - 1], nullptr, out, count);
    }
  }
  return node_values_.back();
}

void GpTreeRunner::run_back(const GpTree& tree, std::size_t count,
                            const std::vector<char>& wanted) {
  adjoint_blocks_.resize(tree.size(), kBlockRows);
  std::fill_n(adjoint_blocks_[tree.size() - 1], count, 1.0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    const Op op = tree[i].op;
    if (!wanted[i] || op == Op::Input || op == Op::Constant) continue;
    const bool is_binary = formula::operation(op).arity == 2;
    const std::size_t b = i - 1;
    const std::size_t a = is_binary ? first_argument(tree, i) : b;
    const auto cleared = [&](std::size_t node) -> double* {
      if (!wanted[node]) return nullptr;
      std::fill_n(adjoint_blocks_[node], count, 0.0);
      return adjoint_blocks_[node];
    };
    double* da = cleared(a);
    double* db = is_binary ? cleared(b) : nullptr;
    formula::backpropagate_block(
        op, node_values_[a], is_binary ? node_values_[b] : nullptr, nullptr,
        node_values_[i], adjoint_blocks_[i], da, db, nullptr, count);
  }
}

void mark_constant_dependence(const GpTree& tree, std::vector<char>& depends) {
  depends.assign(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Op op = tree[i].op;
    if (op == Op::Constant) {
      depends[i] = 1;
    } else if (op != Op::Input) {
      depends[i] = depends[i - 1];
      if (formula::operation(op).arity == 2) {
        depends[i] =
            static_cast<char>(depends[i] | depends[first_argument(tree, i)]);
      }
    }
  }
}

}  // namespace lamarck::gp
