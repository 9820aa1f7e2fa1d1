// A topology compiled for the kernels of networks of neurons.
//
// Values are stored as rows of `width` floats, one float per sample of a block
// and one row per place (input or node), step after step. Deltas, the gradients
// with respect to the sums of nodes, are stored in the same way, last step
// first. Zero rows in front of both stand for the step before the first and the
// step after the last, so the kernels need no special cases.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/evolution/node_function.h"

namespace lamarck::evolution {

struct NeuronTopology;

inline constexpr std::size_t kMaxBlockWidth = 64;

struct NeuronProgram {
  struct Edge {
    // Relative to the first row of the current step. A negative row belongs to
    // the step that was computed before it.
    std::int32_t row = 0;
    std::uint32_t weight = 0;
  };
  struct Node {
    Activation activation = Activation::Tanh;
    Aggregation aggregation = Aggregation::Sum;
    bool is_output = false;
    std::uint32_t in_begin = 0;  // Index in in_edges.
    std::uint32_t in_end = 0;
    std::uint32_t out_begin = 0;  // Index in out_edges.
    std::uint32_t out_end = 0;
    // First delta row of its incoming edges, unless the aggregation is Sum:
    // then all edges share the delta of the node.
    std::uint32_t own_rows = 0;
  };

  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t places = 0;      // Rows of values per step.
  std::size_t delta_rows = 0;  // Per step: those of nodes, then of edges.
  Loss loss = Loss::MeanSquared;
  std::vector<Node> nodes;
  std::vector<Edge> in_edges;   // Sorted by target; `row` is one of values.
  std::vector<Edge> out_edges;  // Sorted by source; `row` is one of deltas.

  // Index of a node's bias among the weights.
  std::size_t bias_of(std::size_t node) const { return in_edges.size() + node; }
  std::size_t weight_count() const { return in_edges.size() + nodes.size(); }
};

// Throws LogicError if the topology is invalid.
NeuronProgram make_neuron_program(const NeuronTopology& topology, Loss loss);

}  // namespace lamarck::evolution
