// Computes the values and the derivatives of one tree, block by block.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_tree.h"
#include "lamarck/gp/internal/gp_columns.h"

namespace lamarck::gp {

// Keeps its buffers between trees. Owned by one thread at a time.
class GpTreeRunner {
 public:
  // Computes all nodes of the tree for `count` rows from `start` on, at most
  // formula::kBlockRows. Returns the values of the root.
  const double* run(const GpTree& tree, const GpRows& rows, std::size_t start,
                    std::size_t count);

  // After `run`: computes d tree / d node for every node that is `wanted`, by
  // reverse accumulation from the root.
  void run_back(const GpTree& tree, std::size_t count,
                const std::vector<char>& wanted);

  // The values of a node after `run`, and its derivatives after `run_back`.
  const double* values(std::size_t node) const { return node_values_[node]; }
  const double* adjoints(std::size_t node) { return adjoint_blocks_[node]; }

 private:
  GpColumns node_blocks_;
  GpColumns adjoint_blocks_;
  std::vector<const double*> node_values_;
};

// Marks the nodes that depend on a constant; adjoints are needed only there.
void mark_constant_dependence(const GpTree& tree, std::vector<char>& depends);

}  // namespace lamarck::gp
