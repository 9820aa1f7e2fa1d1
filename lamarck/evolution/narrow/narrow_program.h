// A topology in the order in which its values and gradients are computed: what
// the kernels of narrow networks read.
//
// Values lie as rows of `width` floats, one for each sample of a block: a row
// for each place, step after step. Deltas, the gradients of the sums of nodes,
// lie likewise, last step first. What is read before the first step, or after
// the last, are rows of zeros in front of either.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/evolution/node_function.h"

namespace lamarck::evolution {

struct NarrowTopology;

inline constexpr std::size_t kWidestBlock = 64;

struct NarrowProgram {
  struct Edge {
    // From the first row of this step; below 0 it belongs to the step which
    // was computed before.
    std::int32_t row = 0;
    std::uint32_t weight = 0;
  };
  struct Node {
    Activation activation = Activation::Tanh;
    Aggregation aggregation = Aggregation::Sum;
    bool is_output = false;
    std::uint32_t in_begin = 0;  // Of in_edges.
    std::uint32_t in_end = 0;
    std::uint32_t out_begin = 0;  // Of out_edges.
    std::uint32_t out_end = 0;
    // Edges that do not share their node's delta have rows of their own.
    std::uint32_t own_rows = 0;
  };

  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t places = 0;      // Rows of values in a step.
  std::size_t delta_rows = 0;  // The nodes', then those of edges.
  Loss loss = Loss::MeanSquared;
  std::vector<Node> nodes;
  std::vector<Edge> in_edges;   // By target; their rows are values.
  std::vector<Edge> out_edges;  // By source; their rows are deltas.

  // Of the weights and the gradient.
  std::size_t bias_of(std::size_t node) const { return in_edges.size() + node; }
  std::size_t weight_count() const { return in_edges.size() + nodes.size(); }
};

// Throws LogicError if the topology breaks its promises.
NarrowProgram make_narrow_program(const NarrowTopology& topology, Loss loss);

}  // namespace lamarck::evolution
